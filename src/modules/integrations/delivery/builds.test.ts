import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startWithSink, type WithSink } from '../testing.ts'
import { sendingsOf } from './deliver.ts'

let given: WithSink
let count = 0
beforeAll(async () => {
  given = await startWithSink()
  await given.commit('first.txt')
})
afterAll(() => given.stop())
beforeEach(() => given.reset())

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`

/** What the receiver gets for a push to a branch. */
async function sentForPush(slug: string, fields: object, branch = 'main') {
  await given.set(slug, fields)
  count += 1
  await given.commit(`of-${slug}-${count}.txt`, branch)
  return given.sent()
}

describe('a push', () => {
  test('to Jenkins is the payload of webhooks', async () => {
    const fields = { jenkins_url: given.receiver.url, project_name: 'folder/a b', username: 'u', password: 'p' }
    const [sent] = await sentForPush('jenkins', fields)
    expect(sent).toMatchObject({
      ...{ method: 'POST', url: '/project/folder/a%20b' },
      headers: { authorization: basic('u:p'), 'x-gitlab-event': 'Push Hook', 'x-service-event': 'Push Hook' },
    })
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ object_kind: 'push', ref: 'refs/heads/main' })
  })

  test('to Jenkins without a name carries no log-in', async () => {
    const [sent] = await sentForPush('jenkins', { jenkins_url: given.receiver.url, project_name: 'p' })
    expect(sent?.headers.authorization).toBeUndefined()
  })

  test('to TeamCity is a build of the branch, and none of a branch that was removed', async () => {
    const fields = { teamcity_url: `${given.receiver.url}/tc/`, build_type: 'B"<', username: 'u', password: 'p' }
    const branch = `a&b-${count}`
    const sent = await sentForPush('teamcity', fields, branch)
    expect(sent).toMatchObject([{ method: 'POST', url: '/tc/httpAuth/app/rest/buildQueue' }])
    expect(sent[0]?.body).toBe(`<build branchName="a&amp;b-${count - 1}"><buildType id="B&quot;&lt;"/></build>`)
    await given.owner.delete(`${given.at}/repository/branches/${encodeURIComponent(branch)}`)
    expect(await given.sent()).toHaveLength(1)
  })

  test('to Bamboo is a request without a body', async () => {
    const fields = { bamboo_url: given.receiver.url, build_key: 'K&1', username: 'u', password: 'p' }
    expect(await sentForPush('bamboo', fields)).toMatchObject([
      {
        ...{ method: 'GET', url: '/updateAndBuild.action?buildKey=K%261&os_authType=basic', body: '' },
        headers: { authorization: basic('u:p') },
      },
    ])
  })

  test.each([
    ['drone-ci', 'drone_url', { token: 'd&s' }, '/hook?owner=hooked&name=code&access_token=d%26s'],
    ['packagist', 'server', { username: 'u', token: 't' }, '/api/update-package?username=u&apiToken=t'],
  ])('to %s', async (slug, field, fields, url) => {
    const [sent] = await sentForPush(slug, { [field]: given.receiver.url, ...fields })
    expect(sent).toMatchObject({ method: 'POST', url })
    expect(JSON.parse(sent?.body ?? '').object_kind).toBe('push')
  })
})

test('Squash TM gets issues with its token', async () => {
  await given.set('squash-tm', { url: `${given.receiver.url}/tm`, token: 's' })
  await given.openIssue()
  const [sent] = await given.sent()
  expect(sent).toMatchObject({ url: '/tm', headers: { 'x-gitlab-token': 's', 'x-service-token': 's' } })
  expect(JSON.parse(sent?.body ?? '').object_attributes.title).toBe('Broken')
})

describe('services with an address of their own', () => {
  const project = {
    ...{ name: 'code', namespace: 'hooked', path_with_namespace: 'hooked/code' },
    ...{ web_url: 'https://here.example/hooked/code', default_branch: 'main' },
  }
  const payload = { ref: 'refs/heads/main', before: '0', after: 'a', user_name: 'Ann', project }
  const sent = { payload, json: JSON.stringify(payload), key: 'k', moment: '2026-01-01T00:00:00.000Z' }
  const requests = (slug: string, values: Record<string, string>, trigger: 'push' | 'job' = 'push') =>
    sendingsOf(slug, { ...sent, trigger, values })

  test('Buildkite', () => {
    const [one] = requests('buildkite', { token: 'a/b' })
    expect(one).toMatchObject({ method: 'POST', url: 'https://webhook.buildkite.com/deliver/a%2Fb', body: sent.json })
  })

  test('Datadog', () => {
    const values = { api_key: 'k&', datadog_site: 'datadoghq.eu', datadog_env: 'e', datadog_tags: 'a:b\n c:d ' }
    const [one] = requests('datadog', values, 'job')
    const query = 'dd-api-key=k%26&env=e&tags=a%3Ab%2Cc%3Ad'
    expect(one?.url).toBe(`https://webhook-intake.datadoghq.eu/api/v2/webhook?${query}`)
    expect(one?.headers).toMatchObject({ 'X-Gitlab-Event': 'Job Hook' })
  })

  test('Pushover', () => {
    const [one] = requests('pushover', { api_key: 'k', user_key: 'u', priority: '1' })
    expect(one?.url).toBe('https://api.pushover.com/1/messages.json')
    expect(Object.fromEntries(new URLSearchParams(one?.body))).toEqual({
      ...{ token: 'k', user: 'u', priority: '1', title: 'hooked / code', url: project.web_url },
      message: 'Ann pushed new branch main to hooked / code',
      url_title: 'See project hooked / code',
    })
  })
})
