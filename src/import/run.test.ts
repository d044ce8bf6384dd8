/** A source that is not one, or not whole. */
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer, temporaryDirectory } from '../testing/index.ts'
import { runImport } from './run.ts'
import { type Answer, type Answering, startFake, token } from './testing.ts'

vi.setConfig({ testTimeout: 60_000 })

let target: TestServer
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let runs = 0
beforeAll(async () => {
  target = await startTestServer()
  folder = await temporaryDirectory()
})
afterEach(() => target.reset())
afterAll(async () => {
  await target.stop()
  await folder[Symbol.asyncDispose]()
})

type More = { invites?: boolean; stateFile?: string; target?: { url: string; token: string } }

async function importFrom(url: string, groups: string[] = [], more: More = {}) {
  runs += 1
  return runImport({
    ...{ source: { url, token }, target: { url: target.url, token: target.rootToken }, groups },
    ...{ stateFile: join(folder.path, `state-${runs}`), ...more },
    progress: { step() {}, advance() {}, note() {} },
    ...{ now: () => new Date(), wait: async () => {}, environment: { PATH: process.env.PATH ?? '' } },
  })
}

/** Answers by paths without their queries; what is not named is answered by 404. */
const answering =
  (answers: Record<string, unknown>): Answering =>
  ({ url = '' }): Answer => {
    const path = url.split('?')[0]?.replace('/api/v4', '') ?? ''
    return path in answers ? { body: answers[path] } : { status: 404, body: { message: '404 Not found' } }
  }

const administrator = { id: 1, username: 'old-root', is_admin: true }
const group = (path: string, more: object = {}) => ({
  ...{ id: path.length, name: path.split('/').at(-1), path: path.split('/').at(-1), full_path: path },
  ...{ visibility: 'public', ...more },
})

describe('the import stops', () => {
  test('where the token of the source is refused', async () => {
    await using fake = await startFake(() => ({ status: 401, body: { message: '401 Unauthorized' } }))
    await expect(importFrom(fake.url)).rejects.toThrow('the source does not accept the token')
  })

  test('where the token for this server is none of an administrator', async () => {
    const { token: own } = await target.user('someone')
    const stateFile = join(folder.path, 'unused')
    const options = { progress: { step() {}, advance() {}, note() {} }, now: () => new Date(), wait: async () => {} }
    const place = { source: { url: 'http://127.0.0.1:1', token }, target: { url: target.url, token: own }, groups: [] }
    await expect(runImport({ ...options, ...place, stateFile, environment: {} })).rejects.toThrow(
      'not one of an administrator',
    )
  })

  test('where the source does not answer', async () => {
    await expect(importFrom('http://127.0.0.1:1')).rejects.toThrow('the source does not answer at http://127.0.0.1:1')
  })
})

describe('lists of the source that are', () => {
  test.each([
    ['null', null],
    ['a number', 1],
    ['a text', 'text'],
    ['an object', { message: 'no' }],
    ['of other things', [null, 1, 'text', [], {}]],
    [
      'of objects with other types',
      [{ id: 'x', iid: {}, name: [], title: 1, tag_name: {}, key: null, username: 5, body: [] }],
    ],
    [
      'of objects with huge values',
      [{ id: 2 ** 60, iid: -1, name: 'n'.repeat(100_000), title: '\u0000', tag_name: '\ud800' }],
    ],
  ])('%s are lines of the report', async (_name, list) => {
    const project = { id: 7, name: 'p', path: 'p', path_with_namespace: 'g/p', namespace: { kind: 'group' } }
    const known = answering({
      ...{ '/user': administrator, '/groups': [group('g')], '/groups/1/subgroups': [] },
      ...{ '/groups/1/projects': [project], '/projects/7': project },
    })
    await using fake = await startFake(async (request, response) => {
      const answer = await known(request, response)
      return answer?.status === 404 ? { body: list } : answer
    })
    const { problems, brought } = await importFrom(fake.url)
    expect(brought).toMatchObject({ groups: 1, projects: 1, issues: 0, comments: 0 })
    expect(problems.length).toBeGreaterThan(10)
    expect(problems.every(({ place, reason }) => ['g', 'g/p', 'users'].includes(place) && reason !== '')).toBe(true)
  })
})

describe('a source', () => {
  test('without most operations is brought as far as it goes', async () => {
    const answers = {
      '/user': administrator,
      '/groups': [group('g')],
      '/groups/1/subgroups': [],
      '/groups/1/projects': [],
    }
    await using fake = await startFake(
      answering({ ...answers, '/groups/1/labels': [{ name: 'bug', color: '#ff0000' }] }),
    )
    const { problems, brought } = await importFrom(fake.url)
    expect(brought).toMatchObject({ groups: 1, labels: 1 })
    expect(problems).toContainEqual({
      ...{ place: 'g', what: 'milestone' },
      reason: 'the source does not have this, or does not show it to the token (404)',
    })
  })

  test('brings nothing into groups that were not asked for', async () => {
    await target.root.post('/groups', { name: 'inside', path: 'inside' })
    const stray = { id: 8, name: 'p', path: 'p', path_with_namespace: 'inside/p', namespace: { kind: 'group' } }
    const answers = {
      ...{ '/user': administrator, '/groups/asked': group('asked'), '/groups/other': group('inside') },
      ...{ '/groups/5/subgroups': [group('inside'), group('asked/../inside')], '/groups/5/projects': [stray] },
    }
    await using fake = await startFake(answering(answers))
    const { problems } = await importFrom(fake.url, ['asked', 'other'])
    expect(problems).toContainEqual({
      place: 'other',
      what: 'group',
      reason: 'the source answers with another group: inside',
    })
    expect((await target.root.get('/groups')).body.map((one: { full_path: string }) => one.full_path)).toEqual([
      'asked',
      'inside',
    ])
    expect((await target.root.get('/projects')).body).toEqual([])
  })

  test('with a project that is here already leaves it alone', async () => {
    const made = (await target.root.post('/groups', { name: 'g', path: 'g' })).body
    const mine = (await target.root.post('/projects', { name: 'p', namespace_id: made.id, description: 'mine' })).body
    const project = { ...mine, id: 7, description: 'theirs', namespace: { kind: 'group' } }
    const answers = {
      '/user': administrator,
      '/groups': [group('g')],
      '/groups/1/subgroups': [],
      '/groups/1/projects': [project],
    }
    await using fake = await startFake(answering({ ...answers, '/projects/7/labels': [{ name: 'x', color: '#fff' }] }))
    const { problems } = await importFrom(fake.url)
    expect(problems).toContainEqual({
      ...{ place: 'g/p', what: 'project' },
      reason: 'a project that this import has not made is here already; nothing was changed in it',
    })
    expect((await target.root.get(`/projects/${mine.id}`)).body.description).toBe('mine')
    expect((await target.root.get(`/projects/${mine.id}/labels`)).body).toEqual([])
  })

  test('below a group that is not here says so', async () => {
    await using fake = await startFake(answering({ '/user': administrator, '/groups/a%2Fb': group('a/b') }))
    const { problems } = await importFrom(fake.url, ['a/b'])
    expect(problems).toContainEqual({
      place: 'a/b',
      what: 'group',
      reason: 'the group a is not here: bring it, or create it',
    })
  })
})

test('members without an account are invited when that is wanted', async () => {
  const answers = {
    ...{ '/user': administrator, '/groups': [group('g')], '/groups/1/subgroups': [], '/groups/1/projects': [] },
    '/groups/1/members': [
      { id: 5, username: 'ann', access_level: 30 },
      { id: 6, username: 'bob', access_level: 20 },
    ],
    '/users/5': { id: 5, username: 'ann', email: 'Ann@Example.com' },
    '/users/6': { id: 6, username: 'bob' },
  }
  await using fake = await startFake(answering(answers))
  const stateFile = join(folder.path, 'invites')
  const reasons = async (invites: boolean) => {
    const { problems } = await importFrom(fake.url, [], { invites, stateFile })
    return problems.filter(({ what }) => what.startsWith('member ')).map(({ what, reason }) => `${what}: ${reason}`)
  }
  const hidden = 'member bob: the source does not show the e-mail address'
  expect(await reasons(false)).toEqual([expect.stringMatching(/^member ann: no account here/), hidden])
  expect(await reasons(true)).toEqual([hidden])
  const { body } = await target.root.get('/groups/g/invitations')
  expect(body).toMatchObject([{ invite_email: 'ann@example.com', access_level: 30 }])
})

describe('custom attributes', () => {
  const project = { id: 7, name: 'p', path: 'p', path_with_namespace: 'g/p', namespace: { kind: 'group' } }
  const answers = (more: object) => ({
    ...{ '/user': administrator, '/groups': [group('g')], '/groups/1/subgroups': [], '/groups/1/projects': [project] },
    ...{ '/projects/7': project, '/groups/g': group('g'), ...more },
  })
  const attributesOf = async (path: string) => (await target.root.get(`${path}/custom_attributes`)).body

  test('of groups, projects and users are brought, once', async () => {
    const ann = await target.user('ann')
    const { email } = (await target.root.get(`/users/${ann.id}`)).body
    await target.root.put(`/users/${ann.id}/custom_attributes/desk`, { value: 'mine' })
    const users = [
      {
        id: 5,
        username: 'ann-there',
        custom_attributes: [
          { key: 'team/x', value: '1' },
          { key: 'desk', value: '2' },
        ],
      },
      { id: 6, username: 'bob', custom_attributes: [{ key: 'team', value: '3' }] },
      { id: 8, username: 'none' },
    ]
    const known = answers({
      '/groups/1/custom_attributes': [{ key: 'cost', value: '42' }],
      '/projects/7/custom_attributes': [{ key: 'ü ?#', value: 'ä' }],
      '/users': users,
      '/users/5': { id: 5, email },
    })
    await using fake = await startFake(answering(known))
    const stateFile = join(folder.path, 'attributes')
    const { brought, problems } = await importFrom(fake.url, [], { stateFile })
    expect(await attributesOf('/groups/g')).toEqual([{ key: 'cost', value: '42' }])
    expect(await attributesOf('/projects/g%2Fp')).toEqual([{ key: 'ü ?#', value: 'ä' }])
    expect(await attributesOf(`/users/${ann.id}`)).toEqual([
      { key: 'desk', value: 'mine' },
      { key: 'team/x', value: '1' },
    ])
    expect(brought['custom attributes']).toBe(3)
    const reasons = problems.map(({ place, what, reason }) => `${place}, ${what}: ${reason}`)
    expect(reasons.filter((line) => /custom attribute|user bob/.test(line)).toSorted()).toEqual([
      'users, custom attribute desk of ann-there: it has another value here, which was not changed',
      'users, user bob: custom attributes: no account here has the e-mail address',
    ])
    // What is changed here meanwhile stays.
    await target.root.put('/groups/g/custom_attributes/cost', { value: 'changed' })
    await importFrom(fake.url, [], { stateFile })
    expect(await attributesOf('/groups/g')).toEqual([{ key: 'cost', value: 'changed' }])
  })

  test('of users are brought with groups only for those whose work is brought', async () => {
    const [ann, bob] = [await target.user('ann'), await target.user('bob')]
    const emailOf = async ({ id }: { id: number }) => (await target.root.get(`/users/${id}`)).body.email
    const user = (id: number, username: string) => ({ id, username, custom_attributes: [{ key: 'k', value: 'v' }] })
    const known = answers({
      '/users': [user(5, 'ann'), user(6, 'bob')],
      '/users/5': { id: 5, email: await emailOf(ann) },
      '/users/6': { id: 6, email: await emailOf(bob) },
      '/groups/1/members': [{ id: 5, username: 'ann', access_level: 30 }],
    })
    await using fake = await startFake(answering(known))
    await importFrom(fake.url, ['g'])
    expect(await attributesOf(`/users/${ann.id}`)).toEqual([{ key: 'k', value: 'v' }])
    expect(await attributesOf(`/users/${bob.id}`)).toEqual([])
  })

  test('that are none are lines of the report, and reach nothing else', async () => {
    const list = [
      ...[
        { key: '..', value: 'x' },
        { key: '.', value: 'x' },
        { key: 'k'.repeat(256), value: 'x' },
      ],
      ...[
        { key: '', value: 'x' },
        { key: 'n', value: 5 },
        { key: '\ud800', value: 'x' },
        { key: '../../p', value: 'x' },
      ],
    ]
    await using fake = await startFake(answering(answers({ '/groups/1/custom_attributes': list })))
    const { problems } = await importFrom(fake.url)
    expect(problems.filter(({ what }) => what.startsWith('custom attribute ')).length).toBe(6)
    expect(await attributesOf('/groups/g')).toEqual([{ key: '../../p', value: 'x' }])
  })

  test('are one line of the report where the token of the source is none of an administrator', async () => {
    const plain = answers({
      '/user': { id: 2, username: 'member' },
      '/groups/1/custom_attributes': [{ key: 'a', value: 'b' }],
    })
    await using fake = await startFake(answering(plain))
    const stateFile = join(folder.path, 'no-administrator')
    const lines = async () =>
      (await importFrom(fake.url, [], { stateFile })).problems.filter(({ what }) => what === 'custom attributes')
    expect(await lines()).toHaveLength(1)
    expect(await attributesOf('/groups/g')).toEqual([])
    Object.assign(plain, { '/user': administrator, '/users': [] })
    expect(await lines()).toEqual([])
    expect(await attributesOf('/groups/g')).toEqual([{ key: 'a', value: 'b' }])
  })
})

test('a connection that breaks off after a write leaves nothing twice', async () => {
  const labels = ['a', 'b', 'c'].map((name) => ({ name, color: '#ffffff' }))
  const answers = {
    '/user': administrator,
    '/groups': [group('g')],
    '/groups/1/subgroups': [],
    '/groups/1/projects': [],
  }
  await using fake = await startFake(answering({ ...answers, '/groups/1/labels': labels }))
  let writes = 0
  await using between = await startFake(async (request, response) => {
    const { method = '', url, headers } = request
    const isWrite = method === 'POST'
    const sent = { 'PRIVATE-TOKEN': String(headers['private-token']), 'Content-Type': 'application/json' }
    const body = isWrite ? await text(request) : null
    const answer = await fetch(`${target.url}${url}`, { method, headers: sent, body })
    if (isWrite) writes += 1
    if (writes !== 3 || !isWrite) return { status: answer.status, body: await answer.json() }
    response.destroy()
    return null
  })
  const { problems } = await importFrom(fake.url, [], { target: { url: between.url, token: target.rootToken } })
  expect(problems.filter(({ what }) => what.startsWith('label'))).toEqual([])
  expect((await target.root.get('/groups/g/labels')).body.map(({ name }: { name: string }) => name)).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('what not all may see at the source is not shown to all meanwhile', async () => {
  const levels = { issues_access_level: 'private', repository_access_level: 'disabled', wiki_access_level: 'enabled' }
  const project = { id: 7, name: 'p', path: 'p', path_with_namespace: 'g/p', visibility: 'public', ...levels }
  const known = answering({
    ...{ '/user': administrator, '/groups': [group('g')], '/groups/1/subgroups': [] },
    ...{ '/groups/1/projects': [project], '/projects/7': project, '/projects/7/issues': [] },
  })
  let meanwhile: unknown
  await using fake = await startFake(async (request, response) => {
    if (request.url?.includes('/issues?')) meanwhile = (await target.root.get('/projects/g%2Fp')).body
    return known(request, response)
  })
  await importFrom(fake.url)
  expect(meanwhile).toMatchObject({ visibility: 'public', ...levels, repository_access_level: 'private' })
  expect((await target.root.get('/projects/g%2Fp')).body).toMatchObject({ visibility: 'public', ...levels })
})
