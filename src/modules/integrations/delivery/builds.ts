import { headerOfEvent } from '../../hooks/index.ts'
import { plain, written } from './markup.ts'
import { messageOf } from './message.ts'
import { below, jsonHeaders, type Sender, type Sending, type Sent, textOf } from './sending.ts'

/** Name and password of an integration, where a name is set. */
function basic(sent: Sent): Record<string, string> {
  const [name, password] = [textOf(sent, 'username'), textOf(sent, 'password')]
  if (name === '') return {}
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }
}

/** The payload of a webhook, with the headers by which receivers know its kind. */
function posted(sent: Sent, url: string, headers: Record<string, string> = {}): Sending {
  const event = headerOfEvent(sent.trigger)
  const named = { 'X-Gitlab-Event': event, 'X-Service-Event': event }
  return { method: 'POST', url, headers: { ...jsonHeaders, ...named, ...headers }, body: sent.json }
}

const query = (values: Readonly<Record<string, string>>) => new URLSearchParams(values).toString()
const encodedPath = (path: string) => path.split('/').map(encodeURIComponent).join('/')
const isRemoval = ({ trigger, payload }: Sent) =>
  (trigger === 'push' || trigger === 'tag_push') && /^0*$/.test(payload.after ?? '')

const jenkins: Sender = (sent) => {
  const path = `project/${encodedPath(textOf(sent, 'project_name'))}`
  return [posted(sent, below(textOf(sent, 'jenkins_url'), path), basic(sent))]
}

const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The branch that TeamCity builds; null for what it does not build. */
function builtBranch(sent: Sent): string | null {
  const { trigger, payload } = sent
  if (trigger === 'push') return isRemoval(sent) ? null : (payload.ref ?? '').replace(/^refs\/heads\//, '')
  const { action = '', source_branch: branch = null } = payload.object_attributes ?? {}
  return ['open', 'reopen', 'update'].includes(action) ? branch : null
}

const teamcity: Sender = (sent) => {
  const branch = builtBranch(sent)
  if (branch === null) return []
  const build = `<build branchName="${xml(branch)}"><buildType id="${xml(textOf(sent, 'build_type'))}"/></build>`
  const url = below(textOf(sent, 'teamcity_url'), 'httpAuth/app/rest/buildQueue')
  return [{ method: 'POST', url, headers: { 'Content-Type': 'application/xml', ...basic(sent) }, body: build }]
}

const bamboo: Sender = (sent) => {
  if (isRemoval(sent)) return []
  const asked = query({ buildKey: textOf(sent, 'build_key'), os_authType: 'basic' })
  const url = below(textOf(sent, 'bamboo_url'), `updateAndBuild.action?${asked}`)
  return [{ method: 'GET', url, headers: basic(sent), body: '' }]
}

const drone: Sender = (sent) => {
  const path = (sent.payload.project?.path_with_namespace ?? '').split('/')
  const [owner, name] = [path.slice(0, -1).join('/'), path.at(-1) ?? '']
  const asked = query({ owner, name, access_token: textOf(sent, 'token') })
  return [posted(sent, below(textOf(sent, 'drone_url'), `hook?${asked}`))]
}

const buildkite: Sender = (sent) => {
  return [posted(sent, `https://webhook.buildkite.com/deliver/${encodeURIComponent(textOf(sent, 'token'))}`)]
}

const packagist: Sender = (sent) => {
  const asked = query({ username: textOf(sent, 'username'), apiToken: textOf(sent, 'token') })
  return [posted(sent, below(textOf(sent, 'server'), `api/update-package?${asked}`))]
}

const squashTm: Sender = (sent) => {
  const token = textOf(sent, 'token')
  const headers: Record<string, string> = token === '' ? {} : { 'X-Gitlab-Token': token, 'X-Service-Token': token }
  return [posted(sent, textOf(sent, 'url'), headers)]
}

const datadog: Sender = (sent) => {
  const site = `https://webhook-intake.${textOf(sent, 'datadog_site')}/api/v2/webhook`
  const url = URL.parse(textOf(sent, 'api_url') || site)
  const tags = textOf(sent, 'datadog_tags')
    .split('\n')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  const values = {
    'dd-api-key': textOf(sent, 'api_key'),
    service: textOf(sent, 'datadog_service'),
    env: textOf(sent, 'datadog_env'),
    tags: tags.join(','),
  }
  for (const [name, value] of Object.entries(values)) if (value !== '') url?.searchParams.set(name, value)
  return [posted(sent, url?.href ?? '')]
}

const pushover: Sender = (sent) => {
  const message = messageOf(sent.trigger, sent.payload)
  if (!message) return []
  const values = {
    token: textOf(sent, 'api_key'),
    user: textOf(sent, 'user_key'),
    device: textOf(sent, 'device'),
    priority: textOf(sent, 'priority'),
    sound: textOf(sent, 'sound'),
    title: message.project.name,
    message: written(message.sentence, plain),
    url: message.project.url,
    url_title: `See project ${message.project.name}`,
  }
  const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return [{ method: 'POST', url: 'https://api.pushover.com/1/messages.json', headers, body: query(set) }]
}

/** What is sent to programs that build, publish or record (contract 25, What a D row sends). */
export const buildSenders: Readonly<Record<string, Sender>> = {
  ...{ jenkins, teamcity, bamboo, 'drone-ci': drone, buildkite, packagist, 'squash-tm': squashTm, datadog, pushover },
}
