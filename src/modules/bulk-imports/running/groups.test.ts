/** Migrations of groups: between two servers, from the server itself, and from sources whose answers may be anything (contract 25, 9). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { groupMigration, migrate, pretendGroup, pretendSource, untilEnded } from '../testing.ts'

const clock = manualClock({ start: '2026-03-04T05:06:07.890Z' })
const pass = (ms: number) => void clock.advance(ms)
let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ clock })
  owner = await server.user('owner')
  await server.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
})
afterAll(() => server.stop())
// The limit of requests is one of a minute.
afterEach(() => pass(61_000))

const at = '2026-01-02T03:04:05.678Z'
const label = (title: string) => ({
  title,
  color: '#112233',
  created_at: at,
  updated_at: at,
  type: 'GroupLabel',
  priorities: [],
})

async function made(client: Client, path: string, body: object) {
  const answer = await client.post(path, body)
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Fills a group with something of each relation, and a group below it. */
async function fillGroup(client: Client, person: Person, path: string) {
  const group = await made(client, '/groups', {
    name: `Name of ${path}`,
    path,
    description: 'Described',
    mentions_disabled: true,
  })
  const base = `/groups/${group.id}`
  const ui = await made(client, `${base}/labels`, { name: 'ui', color: '#112233', description: 'Of pages' })
  await made(client, `${base}/milestones`, { title: 'v1', due_date: '2027-01-01' })
  await made(client, `${base}/badges`, {
    name: 'b',
    link_url: 'https://example.com',
    image_url: 'https://example.com/i.svg',
  })
  const board = await made(client, `${base}/boards`, { name: 'Board' })
  await made(client, `${base}/boards/${board.id}/lists`, { label_id: ui.id })
  const parent = await made(client, `${base}/epics`, { title: 'Parent', labels: 'ui' })
  await made(client, `${base}/epics`, { title: 'Child', parent_id: parent.id, description: 'Of the parent' })
  await made(client, `${base}/members`, { user_id: person.id, access_level: 30 })
  await made(client, '/groups', { name: 'Below', path: 'below', parent_id: group.id })
  return group
}

/** What a group consists of, without ids and times. */
async function contentsOf(client: Client, path: string) {
  const base = `/groups/${encodeURIComponent(path)}`
  const read = async (list: string) => (await client.get(`${base}/${list}`)).body
  const boards = await read('boards')
  return {
    description: (await client.get(base)).body.description,
    mentions_disabled: (await client.get(base)).body.mentions_disabled,
    labels: (await read('labels')).map(({ name, color, description }: never) => ({ name, color, description })),
    milestones: (await read('milestones')).map(({ title, iid, due_date }: never) => ({ title, iid, due_date })),
    badges: (await read('badges')).map(({ name, link_url }: never) => ({ name, link_url })),
    boards: boards.map(({ name, lists }: { name: string; lists: { label: { name: string } }[] }) => [
      name,
      lists.map((list) => list.label.name),
    ]),
    epics: (await read('epics')).map(({ iid, title, parent_iid, labels }: never) => ({
      iid,
      title,
      parent_iid,
      labels,
    })),
    members: (await read('members')).map(({ username, access_level }: never) => `${username} ${access_level}`).sort(),
    below: (await read('subgroups')).map(({ path: one }: { path: string }) => one),
  }
}

describe('a migration of a group', () => {
  test('from the server itself brings everything', async () => {
    const member = await server.user('member')
    await server.root.put(`/users/${member.id}`, { public_email: 'member@example.com' })
    await fillGroup(owner, member, 'here')
    const id = await migrate(owner, groupMigration(server.url, owner.token, 'here', 'copy'))
    const entities = await untilEnded(server, owner, id, pass)
    expect(entities.map((entity: { failures: unknown[] }) => [entity, entity.failures])).toMatchObject([
      [{ status: 'finished', entity_type: 'group', source_full_path: 'here', destination_full_path: 'copy' }, []],
      [{ status: 'finished', source_full_path: 'here/below', destination_full_path: 'copy/below' }, []],
    ])
    expect(entities[1].parent_id).toBe(entities[0].id)
    expect(entities[0].stats.labels).toEqual({ source: 1, fetched: 1, imported: 1 })
    const [from, to] = [await contentsOf(owner, 'here'), await contentsOf(owner, 'copy')]
    expect(to).toEqual(from)
    expect((await owner.get('/groups/copy')).body).toMatchObject({ name: 'Name of here', visibility: 'private' })
    expect((await owner.get(`/bulk_imports/${id}`)).body).toMatchObject({ status: 'finished', has_failures: false })
    const [row] = await server.app.platform.database.read
      .selectFrom('bulk_imports')
      .selectAll()
      .where('id', '=', id)
      .execute()
    expect(row?.sealed_token).toBeNull()
  })

  test('from another server brings everything', async () => {
    await using other = await startTestServer({ isOwn: true })
    const theirs = await other.user('owner')
    const member = await other.user('foreigner')
    await fillGroup(theirs, member, 'there')
    const id = await migrate(owner, groupMigration(other.url, theirs.token, 'there', 'brought'))
    for (let round = 0; round < 200; round += 1) {
      await other.app.platform.jobs.drain()
      await server.app.platform.jobs.drain()
      if ((await owner.get(`/bulk_imports/${id}`)).body.status === 'finished') break
      pass(1_000)
    }
    const entities = (await owner.get(`/bulk_imports/${id}/entities`)).body
    expect(entities.map(({ status, failures }: never) => [status, failures])).toEqual([
      ['finished', []],
      ['finished', []],
    ])
    const [from, to] = [await contentsOf(theirs, 'there'), await contentsOf(owner, 'brought')]
    expect(to).toEqual({ ...from, members: ['owner 50'] })
    expect((await owner.get('/groups/brought')).body.name).toBe('Name of there')
  })

  test('goes on after a process that was killed, and imports nothing twice', async () => {
    await using source = await pretendSource()
    const labels = Array.from({ length: 120 }, (_, index) => label(`l${index}`))
    const badge = { link_url: 'https://example.com', image_url: 'https://example.com/i', created_at: at }
    const relations = { labels, badges: Array(70).fill(badge) }
    pretendGroup(source, { id: 7, path: 'g', relations })
    const { answers } = source
    const download = answers.get('GET /groups/7/export_relations/download') as (asked: never) => object
    // The transfer of the badges ends in their middle.
    let breaks = 3
    answers.set('GET /groups/7/export_relations/download', (asked) => {
      const answer = download(asked as never) as { bytes: Buffer }
      if (asked.query.get('relation') !== 'badges' || breaks === 0) return answer
      breaks -= 1
      return { bytes: answer.bytes.subarray(0, 40), breaks: true }
    })
    const id = await migrate(owner, groupMigration(source.url, 's', 'g', 'killed'))
    const [entity] = await untilEnded(server, owner, id, pass)
    expect(entity).toMatchObject({ status: 'finished', failures: [] })
    expect(breaks).toBe(0)
    expect((await owner.get('/groups/killed/badges?per_page=100')).body).toHaveLength(70)
    expect((await owner.get('/groups/killed/labels?per_page=100&page=2')).body).toHaveLength(20)
    expect(entity.stats).toMatchObject({
      labels: { source: 120, fetched: 120, imported: 120 },
      badges: { source: 70, fetched: 70, imported: 70 },
    })
  })
})

describe('a source', () => {
  test('may have lines that are none, files that are none, and lie about numbers', async () => {
    await using source = await pretendSource()
    const lines = [
      '{',
      '[]',
      'null',
      '"x"',
      label('good'),
      { title: 7 },
      { ...label('x'), created_at: 'yesterday' },
      {},
    ]
    pretendGroup(source, { id: 7, path: 'g', relations: { labels: lines, milestones: [] } })
    const { answers } = source
    const download = answers.get('GET /groups/7/export_relations/download') as (asked: never) => object
    answers.set('GET /groups/7/export_relations/download', (asked) =>
      asked.query.get('relation') === 'milestones' ? { bytes: Buffer.from('no gzip') } : download(asked as never),
    )
    const status = (answers.get('GET /groups/7/export_relations/status') as { body: object[] }).body
    const forms = [
      { relation: 'epics', status: -1, error: 'broken' },
      { relation: 5, status: 1 },
      null,
      'x',
      { status: 1 },
    ]
    answers.set('GET /groups/7/export_relations/status', { body: [...status, ...forms] })
    answers.set('GET /groups/7/members', { body: [null, 'x', { id: 'y' }, { id: 3, access_level: 'high', name: {} }] })
    answers.set('GET /groups/7/subgroups', { body: [{ full_path: 'elsewhere/x' }, { full_path: 'g/../x' }, {}, 'g/x'] })
    const id = await migrate(owner, groupMigration(source.url, 's', 'g', 'bad'))
    const [entity, ...rest] = await untilEnded(server, owner, id, pass)
    expect([entity.status, entity.has_failures, rest.length]).toEqual(['finished', true, 0])
    expect((await owner.get('/groups/bad/labels')).body.map(({ name }: { name: string }) => name)).toEqual(['good'])
    const failed = entity.failures.map((one: { relation: string }) => one.relation)
    expect(failed.filter((one: string) => one === 'labels')).toHaveLength(7)
    expect(failed).toEqual(expect.arrayContaining(['milestones', 'epics', 'members', 'subgroups']))
    const page = (await owner.get(`/bulk_imports/${id}/entities/${entity.id}/failures?per_page=2`)).body
    expect(page).toEqual(entity.failures.slice(0, 2))
    expect(page[0]).toMatchObject({ exception_class: 'InvalidRow', source_title: 'Line 1', correlation_id_value: null })
  })

  test.each([
    ['GET /groups/g', { body: [] }],
    ['GET /groups/g', { body: { id: -1 } }],
    ['GET /groups/g', { status: 404 }],
    ['POST /groups/7/export_relations', { status: 403 }],
    ['GET /groups/7/export_relations/status', { body: { relation: 'x' } }],
    ['GET /groups/7/members', { body: { id: 1 } }],
    ['GET /groups/7/subgroups', { body: Array(100).fill({ full_path: 'g/endless' }) }],
  ])('that answers %s with %j fails the entity', async (call, answer) => {
    await using source = await pretendSource()
    pretendGroup(source, { id: 7, path: 'g' })
    source.answers.set(call, answer)
    const id = await migrate(owner, groupMigration(source.url, 's', 'g', `fails-${clock.now().getTime()}`))
    const [entity] = await untilEnded(server, owner, id, pass)
    expect(entity.status).toBe('failed')
    expect(entity.failures.at(-1)).toMatchObject({ relation: 'group' })
    expect((await owner.get(`/bulk_imports/${id}`)).body).toMatchObject({ status: 'failed', has_failures: true })
  })

  test('that never has its exports ready is given up after 8 hours', async () => {
    await using source = await pretendSource()
    pretendGroup(source, { id: 7, path: 'g' })
    const waiting = [{ relation: 'labels', status: 0, batched: true }]
    source.answers.set('GET /groups/7/export_relations/status', { body: waiting })
    const id = await migrate(owner, groupMigration(source.url, 's', 'g', 'slow'))
    await server.app.platform.jobs.drain()
    pass(7.9 * 3_600_000)
    await server.app.platform.jobs.drain()
    expect((await owner.get(`/bulk_imports/${id}`)).body.status).toBe('started')
    pass(0.2 * 3_600_000)
    await server.app.platform.jobs.drain()
    expect((await owner.get(`/bulk_imports/${id}`)).body).toMatchObject({ status: 'timeout', has_failures: true })
    const [entity] = (await owner.get(`/bulk_imports/${id}/entities`)).body
    expect(entity.failures[0].exception_message).toBe('There was no progress for 8 hours')
  })

  test('whose files are gone is asked for them again an hour later', async () => {
    await using source = await pretendSource()
    pretendGroup(source, { id: 7, path: 'g', relations: { labels: [label('late')] } })
    const download = source.answers.get('GET /groups/7/export_relations/download')
    source.answers.set('GET /groups/7/export_relations/status', { status: 503 })
    const id = await migrate(owner, groupMigration(source.url, 's', 'g', 'gone'))
    await server.app.platform.jobs.drain()
    pass(3_700_000)
    pretendGroup(source, { id: 7, path: 'g', relations: { labels: [label('late')] } })
    source.answers.delete('GET /groups/7/export_relations/download')
    await server.app.platform.jobs.drain()
    source.answers.set('GET /groups/7/export_relations/download', download ?? null)
    const [entity] = await untilEnded(server, owner, id, pass)
    expect(entity).toMatchObject({ status: 'finished', failures: [] })
    expect(source.asked.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })
})

describe('a migration ends', () => {
  /** Imports a group whose badges break off the first time, after `act`. */
  async function whileImporting(
    slug: string,
    act: (id: number) => Promise<unknown>,
    beforeReading?: () => Promise<unknown>,
  ) {
    const source = await pretendSource()
    const badge = { link_url: 'https://example.com', image_url: 'https://example.com/i', created_at: at }
    pretendGroup(source, { id: 7, path: 'g', relations: { labels: [label('one')], badges: [badge] } })
    const id = await migrate(owner, groupMigration(source.url, 's', 'g', slug))
    const download = source.answers.get('GET /groups/7/export_relations/download') as (asked: never) => object
    let isDone = false
    source.answers.set('GET /groups/7/export_relations/download', async (asked) => {
      if (asked.query.get('relation') !== 'badges' || isDone) return download(asked as never)
      isDone = true
      await act(id)
      return { bytes: Buffer.from('x'), breaks: true }
    })
    const entities = await untilEnded(server, owner, id, pass, beforeReading)
    await source[Symbol.asyncDispose]()
    return { id, entity: entities[0] }
  }

  test('when it is canceled in the middle; what was imported stays', async () => {
    const { id, entity } = await whileImporting('canceled', (one) => owner.post(`/bulk_imports/${one}/cancel`))
    expect(entity.status).toBe('canceled')
    await server.app.platform.jobs.drain()
    expect((await owner.get('/groups/canceled/labels')).body).toHaveLength(1)
    expect((await owner.get('/groups/canceled/badges')).body).toEqual([])
    expect((await owner.get(`/bulk_imports/${id}`)).body.status).toBe('canceled')
  })

  test('when its user may not import into the group any more', async () => {
    const { entity } = await whileImporting('lost', async () => {
      const { read, write } = server.app.platform.database
      const group = await read
        .selectFrom('namespaces')
        .select('id')
        .where('path', '=', 'lost')
        .executeTakeFirstOrThrow()
      await write((tx) =>
        tx.updateTable('members').set({ access_level: 30 }).where('namespace_id', '=', group.id).execute(),
      )
    })
    expect(entity).toMatchObject({ status: 'failed', has_failures: true })
    expect(entity.failures[0].exception_message).toBe('The user may not import into the group any more')
  })

  test('when the group is deleted', async () => {
    const { entity } = await whileImporting('deleted', async () => {
      await server.app.platform.database.write((tx) =>
        tx.updateTable('namespaces').set({ pending_delete: true }).where('path', '=', 'deleted').execute(),
      )
    })
    expect(entity.failures[0].exception_message).toBe('The group was deleted')
  })

  test('when its user is blocked', async () => {
    const to = (state: string) => () => server.root.post(`/users/${owner.id}/${state}`)
    const { entity } = await whileImporting('blocked', to('block'), to('unblock'))
    expect(entity.status).toBe('failed')
  })
})
