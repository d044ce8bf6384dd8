import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { forgetUsersWithProjects, withoutProjectsCheck } from './without-projects.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.user('paula')
})
afterAll(() => server.stop())

type Platform = TestServer['app']['platform']

const database = (): Platform['database'] => server.app.platform.database
const write = (work: Parameters<Platform['database']['write']>[0]) => database().write(work)
const forget = () =>
  forgetUsersWithProjects.run(server.app.platform, null, { signal: new AbortController().signal } as never)
const problems = () => Array.fromAsync(withoutProjectsCheck(server.app.platform))

async function recorded(): Promise<string[]> {
  const query = sql<{ username: string }>`select distinct u.username from users_perhaps_without_projects c
    join users u on u.id = c.user_id order by u.username`
  return (await query.execute(database().read as never)).rows.map(({ username }) => username)
}

/** The users of the list, in the order of their names; they are those that a plain comparison finds. */
async function listed(): Promise<string[]> {
  const { body } = await server.root.get('/users?without_projects=true&per_page=100&order_by=username&sort=asc')
  const named = (body as { username: string }[]).map(({ username }) => username)
  const plain = sql<{ username: string }>`select u.username from users u
    where u.id not in (select m.user_id from members m where m.project_id is not null)
      and u.id not in (select n.owner_id from projects p join namespaces n on n.id = p.namespace_id
        where n.owner_id is not null) order by u.username`
  const expected = (await plain.execute(database().read as never)).rows.map(({ username }) => username)
  expect(named).toEqual(expected)
  return named
}

/** The list is exact before and after the job, which leaves only those of the list. */
async function expectExact(): Promise<string[]> {
  await listed()
  expect(await problems()).toEqual([])
  await forget()
  expect(await recorded()).toEqual(await listed())
  expect(await problems()).toEqual([])
  return listed()
}

test('the users without projects are those who have lost or never had one', async () => {
  const { make } = server
  const [ada, ben, cleo] = [await server.user('ada'), await server.user('ben'), await server.user('cleo')]
  const group = await make.group('crew', owner)
  const shared = await make.project('shared', owner, { namespace: group })
  const own = await make.project('own', ada)
  await make.member({ project: shared }, ben, 30)
  await make.member({ namespace: group }, cleo, 30)
  const first = await expectExact()
  expect(first).toContain('cleo')
  expect(first).not.toContain('ada')
  expect(first).not.toContain('ben')

  await write((tx) =>
    tx.deleteFrom('members').where('project_id', '=', shared.id).where('user_id', '=', ben.id).execute(),
  )
  expect(await listed()).toContain('ben')
  await write((tx) => tx.updateTable('projects').set({ namespace_id: group.id }).where('id', '=', own.id).execute())
  await write((tx) => tx.deleteFrom('members').where('project_id', '=', own.id).execute())
  expect(await listed()).toContain('ada')
  await make.member({ project: own }, cleo, 30)
  expect(await expectExact()).not.toContain('cleo')

  await write((tx) =>
    tx
      .updateTable('members')
      .set({ user_id: ada.id })
      .where('user_id', '=', cleo.id)
      .where('project_id', '=', own.id)
      .execute(),
  )
  expect(await expectExact()).toContain('cleo')
  await write((tx) => tx.deleteFrom('projects').where('id', '=', own.id).execute())
  expect(await expectExact()).toContain('ada')

  const last = await make.project('last', ben)
  await write((tx) => tx.deleteFrom('members').where('project_id', '=', last.id).execute())
  expect(await expectExact()).not.toContain('ben')
  await write((tx) => tx.deleteFrom('projects').where('id', '=', last.id).execute())
  expect(await expectExact()).toContain('ben')
})

test('a user who is not recorded is a finding of the check', async () => {
  const dora = await server.user('dora')
  await write((tx) => tx.deleteFrom('users_perhaps_without_projects').where('user_id', '=', dora.id).execute())
  expect(await problems()).toEqual([
    `user ${dora.id} has no project, but is not recorded among the users without projects`,
  ])
  await write((tx) => tx.insertInto('users_perhaps_without_projects').values({ user_id: dora.id }).execute())
})

test('where many are recorded, the users are read in the order of the list', async () => {
  await write(async (tx) => {
    const rows = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 10001) select ${owner.id} from n`
    await sql`insert into users_perhaps_without_projects (user_id) ${rows}`.execute(tx)
  })
  expect(await listed()).toContain('dora')
  await forget()
  expect(await recorded()).toEqual(await listed())
})
