/** Who is notified, by their account and their rights: by rows, without mails. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMembers, makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { Occasion } from './occasion.ts'
import { longestText, recipientsAmong, subjectOf } from './recipients.ts'

let server: TestServer
let people: People
let project: ProjectRow
let issue: { id: number; iid: number }

beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  project = await server.make.project('told', people.owner, { visibility: 'public' })
  await addMembers(server, project, people)
  issue = await made(`/projects/${project.id}/issues`, { title: 'Broken', description: 'text' })
})
afterAll(() => server.stop())

async function made(path: string, values: object, by = people.owner) {
  const { status, body } = await by.post(path, values)
  expect([status, status === 201 ? null : body]).toEqual([201, null])
  return body
}

const occasionOf = (more: Partial<Occasion> = {}): Occasion => ({
  ...{ happening: 'commented', event: 'new_note', type: 'Issue', id: issue.id, actorId: null },
  ...{ mentioned: [], added: [], removed: [] },
  ...more,
})

const named = () => [people.owner, people.maintainer, people.developer, people.reporter, people.guest, people.outsider]

/** The names of those who are told when all are mentioned. */
async function told(more: Partial<Occasion> = {}, userIds = named().map(({ id }) => id)): Promise<string[]> {
  const { platform } = server.app
  const occasion = occasionOf({ mentioned: userIds, ...more })
  const subject = await subjectOf(platform, occasion)
  if (!subject) return ['nothing']
  return (await recipientsAmong(platform, occasion, subject, userIds)).map(({ user }) => user.username)
}

const names = (...some: (keyof People)[]) => some.map((name) => (people[name] as { username: string }).username)

const set = (table: 'users' | 'projects' | 'pipelines', id: number, values: object) =>
  server.app.platform.database.write((tx) => tx.updateTable(table).set(values).where('id', '=', id).execute())

test('those who can be sent mails are active persons with a confirmed address, and not who acted', async () => {
  const { developer } = people
  const at = server.app.platform.clock.now().toISOString()
  const ids = [developer.id]
  expect(await told({}, ids)).toEqual([developer.username])
  expect(await told({ actorId: developer.id }, ids)).toEqual([])
  expect(await told({}, [4_000_000])).toEqual([])
  const spoilt: [object, object][] = [
    [{ state: 'blocked' }, { state: 'active' }],
    [{ confirmed_at: null }, { confirmed_at: at }],
    [{ bot_kind: 'project' }, { bot_kind: null }],
    [{ removed_at: at }, { removed_at: null }],
  ]
  for (const [bad, good] of spoilt) {
    await set('users', developer.id, bad)
    expect(await told({}, ids), JSON.stringify(bad)).toEqual([])
    await set('users', developer.id, good)
  }
  expect(await told({}, ids)).toEqual([developer.username])
})

test('who is assigned, or no longer is, is concerned', async () => {
  const { developer } = people
  const { platform } = server.app
  const reasons = async (more: Partial<Occasion>) => {
    const occasion = occasionOf({ event: 'reassign_issue', ...more })
    const subject = await subjectOf(platform, occasion)
    return subject && (await recipientsAmong(platform, occasion, subject, [developer.id])).map(({ reason }) => reason)
  }
  expect(await reasons({})).toEqual([])
  expect(await reasons({ added: [developer.id] })).toEqual(['concerned'])
  expect(await reasons({ removed: [developer.id] })).toEqual(['concerned'])
  expect(await reasons({ mentioned: [developer.id] })).toEqual(['mentioned'])
})

test('a comment is for those who read the issue, an internal one for planners', async () => {
  const notes = `/projects/${project.id}/issues/${issue.iid}/notes`
  const plain = await made(notes, { body: 'plain' })
  const internal = await made(notes, { body: 'internal', internal: true })
  const everyone = names('owner', 'maintainer', 'developer', 'reporter', 'guest', 'outsider')
  const planner = await server.user('a-planner')
  await server.make.member({ project }, planner, 15)
  expect(await told({ noteId: plain.id })).toEqual(everyone)
  const ids = [...named().map(({ id }) => id), planner.id]
  expect(await told({ noteId: internal.id }, ids)).toEqual([...everyone.slice(0, 4), 'a-planner'])
  expect(await told({ noteId: plain.id, reviewNoteIds: [plain.id, internal.id] })).toEqual(everyone.slice(0, 4))
  expect(await told({ noteId: internal.id + 100 })).toEqual(['nothing'])
})

test('a mail shows comments of a review until its text is long enough', async () => {
  const notes = `/projects/${project.id}/issues/${issue.iid}/notes`
  const ids: number[] = []
  for (let count = 0; count < 41; count += 1)
    ids.push((await made(notes, { body: 'x'.repeat(count < 20 ? 1000 : 1) })).id)
  const shown = async (reviewNoteIds: number[]) => {
    const subject = await subjectOf(server.app.platform, occasionOf({ noteId: reviewNoteIds[0] ?? 0, reviewNoteIds }))
    return subject?.comments.map(({ id }) => id)
  }
  expect(longestText).toBe(20_000)
  // Twenty are read at once: so many of the longest text go on, more do not.
  expect(await shown(ids)).toEqual(ids.slice(0, 40))
  expect(await shown(ids.slice(20).concat(ids.slice(0, 20)))).toHaveLength(41)
})

test('an issue is due while it is open, and nothing is told of what is gone', async () => {
  expect(await told({ happening: 'due' })).toHaveLength(6)
  await people.owner.put(`/projects/${project.id}/issues/${issue.iid}`, { state_event: 'close' })
  expect(await told({ happening: 'due' })).toEqual(['nothing'])
  expect(await told({ happening: 'closed' })).toHaveLength(6)
  expect(await told({ id: issue.id + 100 })).toEqual(['nothing'])
  await set('projects', project.id, { pending_delete: true })
  expect(await told()).toEqual(['nothing'])
  await set('projects', project.id, { pending_delete: false })
})

test('pipelines and releases are for reporters, while their features are on', async () => {
  const { database, clock } = server.app.platform
  const at = clock.now().toISOString()
  const pipelineId = await database.write(async (tx) => {
    const values = { project_id: project.id, iid: 1, sha: 'a'.repeat(40), ref: 'main', status: 'failed', source: 'api' }
    const row = { ...values, user_id: people.owner.id, created_at: at, updated_at: at }
    const query = tx.insertInto('pipelines').values(row as never)
    return (await query.returning('id').executeTakeFirstOrThrow()).id
  })
  const releaseId = await database.write(async (tx) => {
    const values = { project_id: project.id, tag: 'v/1', name: null, description: null, author_id: people.owner.id }
    const row = { ...values, created_at: at, released_at: at, updated_at: at }
    const query = tx.insertInto('releases').values(row as never)
    return (await query.returning('id').executeTakeFirstOrThrow()).id
  })
  const pipeline = { type: 'Pipeline', id: pipelineId, happening: 'failed', event: 'failed_pipeline' } as const
  const release = { type: 'Release', id: releaseId, happening: 'released', event: 'new_release' } as const
  const reporters = names('owner', 'maintainer', 'developer', 'reporter')
  expect(await told(pipeline)).toEqual(reporters)
  expect(await told(release)).toEqual(reporters)
  expect(await told({ ...pipeline, happening: 'fixed' })).toEqual(['nothing'])
  expect(await told({ ...pipeline, id: pipelineId + 100 })).toEqual(['nothing'])
  expect(await told({ ...release, id: releaseId + 100 })).toEqual(['nothing'])
  await set('pipelines', pipelineId, { status: 'success' })
  for (const happening of ['fixed', 'succeeded'] as const) {
    expect(await told({ ...pipeline, happening })).toEqual(reporters)
  }
  const shown = async (occasion: Partial<Occasion>) =>
    (await subjectOf(server.app.platform, occasionOf(occasion)))?.shown
  expect(await shown({ ...pipeline, happening: 'fixed' })).toMatchObject({ title: `Pipeline of main ${'a'.repeat(8)}` })
  expect(await shown(release)).toMatchObject({ title: 'Release v/1', path: 'releases/v%2F1', iid: null, text: '' })
  const put = (values: object) => people.owner.put(`/projects/${project.id}`, values)
  expect((await put({ builds_access_level: 'disabled' })).status).toBe(200)
  expect(await told({ ...pipeline, happening: 'fixed' })).toEqual([])
  expect(await told(release)).toEqual(reporters)
  expect((await put({ repository_access_level: 'disabled', merge_requests_access_level: 'disabled' })).status).toBe(200)
  expect(await told(release)).toEqual([])
  // Of a project that was so before pipelines needed a repository.
  const { settings } = await database.read
    .selectFrom('projects')
    .select('settings')
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow()
  const stored = typeof settings === 'string' ? JSON.parse(settings) : settings
  await set('projects', project.id, { settings: JSON.stringify({ ...stored, builds_access_level: 'enabled' }) })
  expect(await told({ ...pipeline, happening: 'fixed' })).toEqual([])
})
