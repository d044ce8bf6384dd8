/** What lists of people, groups and projects read of a growing instance. */
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { thresholds } from '../src/infra/database/index.ts'
import { makePeople, type People, queriesDuring, startTestServer, type TestServer } from '../src/testing/index.ts'

let server: TestServer
let people: People
beforeAll(async () => {
  server = await startTestServer()
  people = await makePeople(server)
  const group = await server.make.group('company', people.owner)
  await server.make.group('part', people.owner, { parent: group })
  await server.make.project('service', people.owner, { namespace: group })
})
afterAll(() => server.stop())

const lists = ['/users', '/namespaces', '/groups', '/projects', '/groups/company/members', '/user']
const searches = ['/users', '/namespaces', '/groups', '/projects'].map((path) => `${path}?search=nowhere`)

async function planOf(query: CompiledQuery): Promise<string[]> {
  const { read } = server.app.platform.database
  const explained = { ...query, sql: `explain query plan ${query.sql}` } as CompiledQuery<{ detail: string }>
  return (await read.executeQuery(explained)).rows.map(({ detail }) => detail)
}

/** Steps that read all rows of a table that grows with the instance, or all that are of a kind or in a state. */
const readsAll =
  /^SCAN (users|u|namespaces|n|projects|p|members|m|user_follows)$|(users_state|namespaces_list) \((state|kind)=/

/** PostgreSQL chooses by statistics, SQLite by the text of the query. */
test('what is shown beside the rows of a page is looked up, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  for (const path of [...lists, ...searches]) {
    for (const caller of [server.root, people.owner]) {
      const queries = await queriesDuring(server, () => caller.get(path))
      expect(queries.length).toBeGreaterThan(0)
      // A page and its count end at their limits.
      for (const query of queries.filter(({ sql }) => !sql.includes('limit ?'))) {
        const plan = await planOf(query)
        expect([path, query.sql, plan.filter((step) => readsAll.test(step))]).toEqual([path, query.sql, []])
      }
    }
  }
})

test('searches read the rows that an index finds, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  for (const path of searches) {
    const queries = await queriesDuring(server, () => server.root.get(path))
    const searching = queries.filter(
      ({ sql }) =>
        sql.includes('_text" match') && !/^select (count\(\*\) as count from \(select rowid|1 as place)/.test(sql),
    )
    expect(searching.length).toBeGreaterThan(0)
    for (const query of searching) {
      const plan = await planOf(query)
      expect([path, plan.filter((step) => /^SCAN (users|namespaces|projects)( |$)/.test(step))]).toEqual([path, []])
      expect(plan.join()).toMatch(/SEARCH (users|namespaces|projects|found) USING INTEGER PRIMARY KEY/)
    }
  }
})

/** What a plan says, of the queries of a request whose text has a part. */
async function plansOf(path: string, part: string): Promise<string[]> {
  const queries = await queriesDuring(server, () => server.root.get(path))
  const plans = await Promise.all(queries.filter(({ sql }) => sql.includes(part)).map(planOf))
  return plans.map((plan) => plan.join('; '))
}

test.each([
  ['/users?admins=true', 'counted_0', 'INDEX users_admins'],
  ['/users?external=true', 'counted_0', 'INDEX users_external'],
  ['/users?extern_uid=1&provider=saml', 'counted_0', 'INDEX identities_extern_uid_unique'],
  ['/projects?archived=true', '"archived" = true', 'INDEX projects_archived'],
  ['/projects?imported=true', '"import_url" is not null', 'INDEX projects_imported'],
  ['/projects?visibility=internal', 'counted_0', 'COVERING INDEX projects_visibility'],
  ['/projects?topic=cli', 'counted_0', 'COVERING INDEX project_topics_topic'],
  ['/projects?topic_id=7', 'counted_0', 'COVERING INDEX project_topics_topic'],
  ['/projects?with_programming_language=Ruby', 'counted_0', 'COVERING INDEX project_languages_name'],
  ['/users/1/starred_projects', 'counted_0', 'COVERING INDEX project_stars_user'],
  ['/users/1/contributed_projects', 'events e', 'COVERING INDEX events_author_project'],
  ['/groups?top_level_only=true', 'count(*)', 'INDEX namespaces_top'],
  ['/groups?archived=true', '"archived" = true', 'INDEX namespaces_archived'],
  [
    '/projects/company%2Fservice/alert_management_alerts?severity[]=high',
    'from "alerts"',
    'COVERING INDEX alerts_listed',
  ],
  ['/projects/company%2Fservice/milestones?state=active', 'count(*)', 'COVERING INDEX milestones_project_order'],
  [
    '/projects/company%2Fservice/milestones?search=nowhere',
    'from "milestones" where',
    'SEARCH milestones USING INTEGER',
  ],
  [
    '/projects/company%2Fservice/labels?search=nowhere',
    'from "labels" where',
    'SEARCH labels USING INTEGER PRIMARY KEY',
  ],
  ['/projects/company%2Fservice/iterations?state=closed', 'from "iterations" where', 'COVERING INDEX iterations_order'],
  ['/snippets/all?repository_storage=other', 'count(*)', 'INDEX repositories_snippets'],
])('%s finds its rows by an index, on SQLite', async (path, part, index) => {
  if (server.app.platform.database.engine !== 'sqlite') return
  const plans = await plansOf(path, part)
  expect(plans.length).toBeGreaterThan(0)
  for (const plan of plans) {
    expect(plan).toContain(index)
    expect(plan).not.toMatch(/SCAN (users|projects|namespaces)(;| |$)(?!USING)/)
  }
})

/** With an index on the kind and the id, SQLite compared each group below with each group that the caller reaches. */
test('groups below a group are found by one set of ids and checked by the other, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  for (const path of ['/groups/company/descendant_groups', '/groups/company/descendant_groups?owned=true']) {
    const queries = await queriesDuring(server, () => people.owner.get(path))
    const listing = queries.filter(({ sql: text }) => text.includes('namespace_ancestors found'))
    expect(listing.length).toBeGreaterThan(0)
    for (const query of listing) expect((await planOf(query)).join()).not.toMatch(/id=\? AND rowid=\?/)
  }
})

test('pages of many namespaces and groups are read in the order of an index, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  const before = { ...thresholds }
  Object.assign(thresholds, { driven: 0 })
  const indexes = {
    '/namespaces': 'namespaces_order (<expr>=?)',
    '/groups': 'namespaces_list (kind=? AND pending_delete=?)',
    '/groups?sort=desc': 'namespaces_list (kind=? AND pending_delete=?)',
    '/groups?order_by=path': 'namespaces_path (kind=? AND pending_delete=?)',
    '/groups?order_by=id': 'namespaces_order (<expr>=?)',
    '/groups/company/subgroups': 'namespaces_parent (parent_id=? AND kind=? AND pending_delete=?)',
    '/groups/company/descendant_groups': 'namespaces_list (kind=? AND pending_delete=?)',
  }
  for (const [path, index] of Object.entries(indexes)) {
    const queries = await queriesDuring(server, () => server.root.get(path))
    const pages = queries.filter(({ sql: text }) => text.includes(') found cross join "namespaces"'))
    expect(pages.length).toBeGreaterThan(0)
    for (const page of pages) {
      const plan = (await planOf(page)).filter((step) => /(SEARCH|SCAN) namespaces|FOR ORDER BY/.test(step))
      // The rows of the page are sorted once more; ties within the index are not.
      const ofPage = ['SEARCH namespaces USING INTEGER PRIMARY KEY (rowid=?)', 'USE TEMP B-TREE FOR ORDER BY']
      expect([path, plan]).toEqual([path, [expect.stringContaining(`INDEX ${index}`), ...ofPage]])
    }
  }
  Object.assign(thresholds, before)
})

test('the roles of a caller and the number of forks are read from an index alone, on SQLite', async () => {
  if (server.app.platform.database.engine !== 'sqlite') return
  const [roles = ''] = await plansOf('/projects', 'select namespace_id, project_id, access_level')
  expect(roles).toContain('COVERING INDEX members_user (user_id=?')
  // Rows are read of memberships with a member role alone.
  expect(roles).not.toMatch(/SEARCH m(embers)? USING INDEX (?!members_user_with_role)/)
  const [forks = ''] = await plansOf('/projects', 'forked_from_id = projects.id')
  expect(forks).toContain('COVERING INDEX projects_forked_from')
})

test('of a topic that most projects have, the first are counted, and none is sorted', async () => {
  const { read, write } = server.app.platform.database
  const { id: owner } = people.owner
  const namespace = await read
    .selectFrom('namespaces')
    .select('id')
    .where('owner_id', '=', owner)
    .executeTakeFirstOrThrow()
  const at = '2026-01-01T00:00:00.000Z'
  const numbers =
    read.engine === 'sqlite'
      ? '(with recursive n (i) as (select 1 union all select i + 1 from n where i < 10001) select i from n) n'
      : '(select i from generate_series(1, 10001) i) n'
  await write(async (tx) => {
    await sql`insert into topics (id, name, folded_name, title, created_at, updated_at)
      values (777, 'common', 'common', 'Common', ${at}, ${at})`.execute(tx)
    await sql`insert into projects (namespace_id, name, path, full_path, visibility, last_activity_at, created_at, updated_at)
      select ${namespace.id}, 'many' || i, 'many' || i, 'many/' || i, 'public', ${at}, ${at}, ${at}
      from ${sql.raw(numbers)}`.execute(tx)
    await sql`insert into project_topics (project_id, topic_id, position)
      select id, 777, 0 from projects where full_path like 'many/%'`.execute(tx)
  })
  for (const query of ['topic=common', 'search=many', 'search=many&topic=common']) {
    const { status, body, headers } = await server.root.get(`/projects?${query}`)
    expect([status, body.length, headers.get('x-total')]).toEqual([200, 20, null])
  }
})

/** After the test before, there are more projects than are counted. */
test('the projects that a person has starred or worked in are those of all that are, in each order, however many', async () => {
  const { database } = server.app.platform
  const { read } = database
  const { id } = people.owner
  await database.write(async (tx) => {
    await sql`insert into project_stars (project_id, user_id, created_at)
      select id, ${id}, created_at from projects`.execute(tx)
    await sql`update projects set updated_at = case when id % 3 = 0 then '2026-01-02T00:00:00.000Z' else created_at end,
      star_count = id % 5 where full_path like 'many/%'`.execute(tx)
    await sql`insert into events (project_id, author_id, action, created_at) select id, ${id}, 'joined', created_at
      from projects where id % 2 = 0`.execute(tx)
    await sql`insert into contributions (user_id, project_id) select ${id}, id
      from projects where 1 = 1 on conflict do nothing`.execute(tx)
    // In operation PostgreSQL has statistics by then.
    if (tx.engine === 'postgres') await sql`analyze`.execute(tx)
  })
  const orders = ['created_at', 'id', 'name', 'updated_at', 'star_count'] as const
  const lists = [
    { path: `/users/${id}/starred_projects?`, condition: sql<boolean>`1 = 1` },
    { path: '/projects?starred=true', condition: sql<boolean>`1 = 1` },
    { path: `/users/${id}/contributed_projects?`, condition: sql<boolean>`id % 2 = 0` },
    {
      path: `/users/${id}/contributed_projects?search=many10&`,
      condition: sql<boolean>`id % 2 = 0 and name like 'many10%'`,
    },
    {
      path: `/users/${id}/starred_projects?topic=common&id_before=900`,
      condition: sql<boolean>`id < 900 and name like 'many%'`,
    },
  ]
  for (const { path, condition } of lists) {
    for (const order of orders) {
      for (const sort of ['asc', 'desc'] as const) {
        const asked = `${path}&simple=true&order_by=${order}&sort=${sort}&page=3`
        const { status, body } = await people.owner.get(asked)
        const sorted = read
          .selectFrom('projects')
          .select('id')
          .where(condition)
          .orderBy(order, sort)
          .orderBy('id', sort)
        const expected = await sorted.offset(40).limit(20).execute()
        expect([asked, status, body.map((one: { id: number }) => one.id)]).toEqual([
          asked,
          200,
          expected.map((row) => row.id),
        ])
      }
    }
  }
})

test('of those projects and of forks, filters find what a test of all finds, however few or many have the value', async () => {
  const { database } = server.app.platform
  const { id } = people.owner
  const source = await server.make.project('source', people.owner)
  await database.write(async (tx) => {
    await sql`update projects set forked_from_id = ${source.id}, archived = (id % 5 = 1), pending_delete = (id % 9 = 1),
      visibility = case when id % 40 = 2 then 'internal' when id % 8 = 1 then 'private' else 'public' end,
      import_url = case when id % 50 = 1 then 'https://example.com/x.git' end,
      description = case when id % 100 = 6 then 'xy' when id % 70 = 6 then 'has a needle' end
      where full_path like 'many/%'`.execute(tx)
    await sql`update projects set marked_for_deletion_on = '2026-11-01', last_activity_at = '2025-01-01T00:00:00.000Z'
      where full_path like 'many/%' and id % 30 = 8`.execute(tx)
    // In operation PostgreSQL has statistics by then.
    if (tx.engine === 'postgres') await sql`analyze`.execute(tx)
  })
  const filters = {
    '': sql<boolean>`1 = 1`,
    'archived=true': sql<boolean>`archived = ${true}`,
    'archived=false': sql<boolean>`archived = ${false}`,
    'visibility=internal': sql<boolean>`visibility = 'internal'`,
    'visibility=public': sql<boolean>`visibility = 'public'`,
    'imported=true': sql<boolean>`import_url is not null`,
    'imported=true&archived=false': sql<boolean>`import_url is not null and archived = ${false}`,
    'search=needle': sql<boolean>`description like '%needle%'`,
    'search=nowhere': sql<boolean>`1 = 0`,
    'search=xy': sql<boolean>`description = 'xy'`,
    'search=many%2F&search_namespaces=true': sql<boolean>`full_path like 'many/%'`,
    'last_activity_before=2025-06-01T00:00:00Z': sql<boolean>`last_activity_at < '2025-06-01T00:00:00.000Z'`,
    'last_activity_after=2025-06-01T00:00:00Z': sql<boolean>`last_activity_at > '2025-06-01T00:00:00.000Z'`,
    'updated_after=2026-01-01T12:00:00Z&order_by=updated_at': sql<boolean>`updated_at >= '2026-01-01T12:00:00.000Z'`,
    'marked_for_deletion_on=2026-11-01': sql<boolean>`marked_for_deletion_on = '2026-11-01'`,
    'id_after=9000': sql<boolean>`id > 9000`,
    'id_before=100&visibility=public': sql<boolean>`id < 100 and visibility = 'public'`,
  }
  const lists = {
    [`/users/${id}/starred_projects`]: sql<boolean>`id in (select project_id from project_stars where user_id = ${id})`,
    [`/users/${id}/contributed_projects`]: sql<boolean>`id in (select project_id from events where author_id = ${id})`,
    [`/projects/${source.id}/forks`]: sql<boolean>`forked_from_id = ${source.id}`,
  }
  const callers = [
    { caller: server.root, sees: sql<boolean>`1 = 1` },
    { caller: people.owner, sees: sql<boolean>`1 = 1` },
    { caller: await server.user('stranger'), sees: sql<boolean>`visibility <> 'private'` },
  ]
  for (const { caller, sees } of callers) {
    for (const [path, isListed] of Object.entries(lists)) {
      if (caller !== server.root && caller !== people.owner && path.endsWith('forks')) continue
      for (const [filter, condition] of Object.entries(filters)) {
        const order = filter.includes('order_by') ? 'updated_at' : 'created_at'
        const asked = `${path}?simple=true&${filter}`
        const { body, headers } = await caller.get(asked)
        const query = database.read
          .selectFrom('projects')
          .where(isListed)
          .where(condition)
          .where(sees)
          .where('pending_delete', '=', false)
        const all = await query.select('id').orderBy(order, 'desc').orderBy('id', 'desc').execute()
        expect([asked, headers.get('x-total'), body.map((one: { id: number }) => one.id)]).toEqual([
          asked,
          all.length > 10_000 ? null : String(all.length),
          all.slice(0, 20).map((row) => row.id),
        ])
      }
    }
  }
})
