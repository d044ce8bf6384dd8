import type { TriggerName } from '../../hooks/index.ts'
import type { EventPayload } from './payload.ts'

/** A part of a sentence: text, or a link. */
export type Part = string | { text: string; url: string }

/** The message about an event. */
export type Message = {
  /** One sentence. */
  sentence: readonly Part[]
  /** The name of the object. */
  title: string
  /** What was written, or the commits; empty without any. */
  detail: string
  color: 'good' | 'danger' | 'neutral'
  /** Messages about one object have the same. */
  thread: string
  user: { name: string; avatar: string | null }
  project: { name: string; url: string }
}

const longestDetail = 1_000
const longestTitle = 255
const mostCommits = 20

const cut = (text: string, longest: number) => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** The text of a link without line ends. */
const link = (text: string, url: string | undefined): Part => {
  const shown = cut(text.replace(/\s+/g, ' '), longestTitle)
  return url ? { text: shown, url } : shown
}

type Told = Pick<Message, 'sentence' | 'title' | 'thread'> & Partial<Pick<Message, 'detail' | 'color'>>
type Teller = (payload: EventPayload, who: string, project: Part) => Told

const isGone = ({ after = '' }: EventPayload) => /^0*$/.test(after)
const isNew = ({ before = '' }: EventPayload) => /^0*$/.test(before)

function pushed(kind: 'branch' | 'tag'): Teller {
  return (payload, who, project) => {
    const name = (payload.ref ?? '').replace(/^refs\/(?:heads|tags)\//, '')
    const base = payload.project?.web_url ?? ''
    const path = name.split('/').map(encodeURIComponent).join('/')
    const ref = link(name, kind === 'branch' ? `${base}/-/commits/${path}` : `${base}/-/tags/${path}`)
    const count = payload.total_commits_count ?? 0
    const commits = (payload.commits ?? []).slice(-mostCommits)
    const detail = commits.map(({ id, title, author }) => `${id.slice(0, 8)}: ${title} - ${author.name}`).join('\n')
    const about = { title: name, thread: `${kind} ${name}`, detail: isGone(payload) ? '' : detail }
    if (isGone(payload)) return { ...about, sentence: [`${who} removed ${kind} ${name} from `, project] }
    if (isNew(payload)) return { ...about, sentence: [`${who} pushed new ${kind} `, ref, ' to ', project] }
    const commitsOf = `${count} ${count === 1 ? 'commit' : 'commits'}`
    return { ...about, sentence: [`${who} pushed ${commitsOf} to ${kind} `, ref, ' of ', project] }
  }
}

const done: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  update: 'updated',
  create: 'created',
  delete: 'deleted',
  approved: 'approved',
  unapproved: 'unapproved',
}

const saved =
  (kind: string, sign: '#' | '!'): Teller =>
  ({ object_attributes: about = {} }, who, project) => {
    const { iid, title = '', url, action = '', description } = about
    const word = about.type === 'Incident' ? 'incident' : kind
    return {
      sentence: [`${who} ${done[action] ?? action} ${word} `, link(`${sign}${iid} ${title}`, url), ' in ', project],
      title: `${sign}${iid} ${title}`,
      thread: `${kind} ${iid}`,
      detail: action === 'open' ? (description ?? '') : '',
    }
  }

const noted: Teller = (payload, who, project) => {
  const { issue, merge_request: request, snippet, commit, object_attributes: about = {} } = payload
  const [kind, name] = issue
    ? ['issue', `#${issue.iid} ${issue.title}`]
    : request
      ? ['merge request', `!${request.iid} ${request.title}`]
      : snippet
        ? ['snippet', `$${snippet.id} ${snippet.title}`]
        : ['commit', (commit?.id ?? '').slice(0, 8)]
  return {
    sentence: [`${who} commented on ${kind} `, link(name, about.url), ' in ', project],
    title: name,
    thread: `${kind} ${issue?.iid ?? request?.iid ?? snippet?.id ?? commit?.id}`,
    detail: about.note ?? '',
  }
}

const endings: Readonly<Record<string, readonly [string, Message['color']]>> = {
  success: ['passed', 'good'],
  failed: ['failed', 'danger'],
  canceled: ['was canceled', 'neutral'],
}
const ending = (status = '') => endings[status] ?? ([`is ${status}`, 'neutral'] as const)

const ofPipeline: Teller = ({ object_attributes: about = {} }, who, project) => {
  const [words, color] = ending(about.status)
  const ref = `${about.tag ? 'tag' : 'branch'} ${about.ref}`
  return {
    sentence: ['Pipeline ', link(`#${about.id}`, about.url), ` of ${ref} by ${who} ${words} in `, project],
    title: `Pipeline #${about.id}`,
    thread: `pipeline ${about.id}`,
    color,
  }
}

const ofJob: Teller = (payload, who, project) => {
  const { build_id: id, build_name: name = '', build_stage: stage, build_status: status, ref } = payload
  const [words, color] = ending(status)
  const url = `${payload.project?.web_url ?? ''}/-/jobs/${id}`
  return {
    sentence: ['Job ', link(name, url), ` of stage ${stage} on ${ref} by ${who} ${words} in `, project],
    title: name,
    thread: `job ${id}`,
    color,
  }
}

const ofDeployment: Teller = (payload, who, project) => {
  const { environment, status = '', short_sha: sha = '', commit_url: url } = payload
  const words = status === 'success' ? 'succeeded' : ending(status)[0]
  return {
    sentence: [`Deployment of `, link(sha, url), ` to ${environment} by ${who} ${words} in `, project],
    title: `Deployment to ${environment}`,
    thread: `deployment ${environment}`,
    color: ending(status)[1],
  }
}

const ofAlert: Teller = ({ object_attributes: about = {} }, who, project) => {
  const { iid, title = '', url, status = '', severity, description } = about
  return {
    sentence: [`${who} ${status} alert `, link(title, url), ` (${severity}) in `, project],
    title,
    thread: `alert ${iid}`,
    detail: status === 'triggered' ? (description ?? '') : '',
    color: status === 'triggered' ? 'danger' : 'good',
  }
}

const ofWiki: Teller = ({ object_attributes: about = {} }, who, project) => {
  const { title = '', url, action = '', content = '' } = about
  return {
    sentence: [`${who} ${done[action] ?? action} wiki page `, link(title, url), ' in ', project],
    title,
    thread: `wiki page ${title}`,
    detail: action === 'delete' ? '' : content,
  }
}

const tellers: Readonly<Partial<Record<TriggerName, Teller>>> = {
  push: pushed('branch'),
  tag_push: pushed('tag'),
  issue: saved('issue', '#'),
  confidential_issue: saved('issue', '#'),
  merge_request: saved('merge request', '!'),
  note: noted,
  confidential_note: noted,
  pipeline: ofPipeline,
  job: ofJob,
  deployment: ofDeployment,
  alert: ofAlert,
  wiki_page: ofWiki,
}

/** The message about an event, in one sentence (contract 25, Chat text); null for events without a message. */
export function messageOf(trigger: TriggerName, payload: EventPayload): Message | null {
  const tell = tellers[trigger]
  if (!tell) return null
  const { namespace = '', name = '', web_url: url = '' } = payload.project ?? {}
  const project = { name: namespace === '' ? name : `${namespace} / ${name}`, url }
  const user = {
    name: payload.user?.name ?? payload.user_name ?? 'Somebody',
    avatar: payload.user?.avatar_url ?? payload.user_avatar ?? null,
  }
  const told = tell(payload, user.name, link(project.name, project.url))
  const { detail = '', color = 'neutral' } = told
  return { ...told, color, user, project, title: cut(told.title, longestTitle), detail: cut(detail, longestDetail) }
}
