/** Migrations of projects, which follow their group or are named (contract 25, 9). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Client, makePeople, type People, startTestServer, type TestServer } from '../../../testing/index.ts'
import { groupMigration, linesFile, migrate, pretendSource, untilEnded } from '../testing.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.890Z' })
const pass = (ms: number) => void clock.advance(ms)
let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer({ clock })
  people = await makePeople(server)
  await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
})
afterAll(() => server.stop())

async function made(client: Client, path: string, body: object) {
  const answer = await client.post(path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

const projectMigration = (url: string, token: string, source: string, namespace: string, slug: string) => ({
  configuration: { url, access_token: token },
  entities: [
    {
      ...{ source_type: 'project_entity', source_full_path: source },
      ...{ destination_namespace: namespace, destination_slug: slug },
    },
  ],
})

/** What a project consists of, without ids and times. */
async function contentsOf(client: Client, path: string) {
  const base = `/projects/${encodeURIComponent(path)}`
  const read = async (list: string) => (await client.get(`${base}/${list}`)).body
  const issues = await read('issues?sort=asc')
  const notes = await read(`issues/${issues[0]?.iid}/notes?sort=asc`)
  return {
    description: (await client.get(base)).body.description,
    default_branch: (await client.get(base)).body.default_branch,
    branches: (await read('repository/branches')).map(({ name, commit }: never) => [
      name,
      (commit as { id: string }).id,
    ]),
    issues: issues.map(({ iid, title, labels, author }: never) => ({
      iid,
      title,
      labels,
      by: (author as { username: string }).username,
    })),
    notes: notes.map(({ body }: { body: string }) => body),
    labels: (await read('labels')).map(({ name }: { name: string }) => name),
    requests: (await read('merge_requests')).map(({ iid, title, state }: never) => ({ iid, title, state })),
    members: (await read('members')).map(({ username }: { username: string }) => username).sort(),
  }
}

test('a project follows its group, with its repository, issues and merge requests', async () => {
  const { owner, developer } = people
  const group = await made(owner, '/groups', { name: 'Whole', path: 'whole' })
  const project = await made(owner, '/projects', {
    ...{
      name: 'Code',
      path: 'code',
      namespace_id: group.id,
      initialize_with_readme: true,
      description: 'Of the group',
    },
  })
  const base = `/projects/${project.id}`
  for (const { id } of [owner, developer]) {
    const { email } = (await server.root.get(`/users/${id}`)).body
    await server.root.put(`/users/${id}`, { public_email: email })
  }
  await made(owner, `${base}/members`, { user_id: developer.id, access_level: 30 })
  await made(owner, `/groups/${group.id}/labels`, { name: 'shared', color: '#112233' })
  await made(owner, `${base}/labels`, { name: 'own', color: '#445566' })
  const issue = await made(developer, `${base}/issues`, { title: 'First', labels: 'shared,own' })
  await made(owner, `${base}/issues/${issue.iid}/notes`, { body: 'A comment' })
  await made(owner, `${base}/repository/commits`, {
    ...{ branch: 'topic', start_branch: 'main', commit_message: 'Add a' },
    actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
  })
  // Without its name, another one would be taken for the default branch.
  expect((await owner.put(base, { default_branch: 'topic' })).status).toBe(200)
  await made(developer, `${base}/merge_requests`, { title: 'Topic', source_branch: 'topic', target_branch: 'main' })
  const id = await migrate(owner, groupMigration(server.url, owner.token, 'whole', 'moved'))
  const entities = await untilEnded(server, owner, id, pass)
  expect(entities.map(({ status, entity_type, failures }: never) => [status, entity_type, failures])).toEqual([
    ['finished', 'group', []],
    ['finished', 'project', []],
  ])
  const [from, to] = [await contentsOf(owner, 'whole/code'), await contentsOf(owner, 'moved/code')]
  expect(to).toEqual(from)
  const { body: copy } = await owner.get('/projects/moved%2Fcode')
  expect(copy).toMatchObject({ import_status: 'finished', name: 'Code', visibility: 'private' })
  expect((await owner.get(`/projects/${copy.id}/issues/1`)).body).toMatchObject({
    imported: true,
    imported_from: 'gitlab_migration',
  })
  pass(61_000)
  // Of the caller's own namespace, under a name that is taken there.
  await made(owner, '/projects', { name: 'Code', path: 'taken' })
  const alone = await migrate(owner, projectMigration(server.url, owner.token, 'whole/code', 'owner', 'alone'))
  const [entity] = await untilEnded(server, owner, alone, pass)
  expect(entity).toMatchObject({ status: 'finished', failures: [], destination_full_path: 'owner/alone' })
  expect((await owner.get('/projects/owner%2Falone')).body).toMatchObject({ name: 'Code 1', import_status: 'finished' })
  pass(61_000)
  const without = { migrate_projects: false, migrate_memberships: false }
  const bare = await migrate(owner, groupMigration(server.url, owner.token, 'whole', 'bare', without))
  expect(await untilEnded(server, owner, bare, pass)).toHaveLength(1)
  expect((await owner.get('/groups/bare/projects')).body).toEqual([])
})

test('a project whose bundle is none is imported without a repository, and says so', async () => {
  const { owner } = people
  pass(61_000)
  await using source = await pretendSource()
  const { answers } = source
  answers.set('GET /projects/g/p/export_relations/status', { body: [] })
  answers.set('GET /projects/g/p', { body: { id: 5, name: 'P', path: 'p' } })
  answers.set('POST /projects/5/export_relations', { status: 202 })
  const status = ['self', 'repository', 'labels'].map((relation) => ({
    relation,
    status: 1,
    batched: false,
    total_objects_count: 1,
  }))
  answers.set('GET /projects/5/export_relations/status', { body: status })
  answers.set('GET /projects/5/members', { body: [] })
  answers.set('GET /projects/5/export_relations/download', ({ query }) => ({
    bytes: query.get('relation') === 'self' ? linesFile(['{"description":"From elsewhere"}']) : Buffer.from('no file'),
  }))
  const id = await migrate(owner, projectMigration(source.url, 's', 'g/p', 'owner', 'broken'))
  const [entity] = await untilEnded(server, owner, id, pass)
  expect(entity).toMatchObject({ status: 'finished', has_failures: true })
  expect(entity.failures.map(({ relation }: { relation: string }) => relation).sort()).toEqual(['labels', 'repository'])
  expect((await owner.get('/projects/owner%2Fbroken')).body.description).toBe('From elsewhere')
})

test('a project that fails refuses writes, and shows why', async () => {
  const { owner } = people
  pass(61_000)
  await using source = await pretendSource()
  source.answers.set('GET /projects/g/p/export_relations/status', { body: [] })
  source.answers.set('GET /projects/g/p', { body: { id: 5, name: 'P', path: 'p' } })
  source.answers.set('POST /projects/5/export_relations', { status: 403 })
  const id = await migrate(owner, projectMigration(source.url, 's', 'g/p', 'owner', 'failing'))
  const [entity] = await untilEnded(server, owner, id, pass)
  expect(entity).toMatchObject({ status: 'failed', project_id: expect.any(Number) })
  const project = (await owner.get(`/projects/${entity.project_id}`)).body
  expect(project).toMatchObject({
    import_status: 'failed',
    import_error: 'The source instance answered with status 403',
  })
})
