/** A server that is killed while it exports and imports projects and groups with every kind of row: what comes of it is whole, or not there. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/infra/database/index.ts'
import { migrations } from '../../src/migrations/index.ts'
import { fillProject } from '../../src/modules/project-archives/importing/world-testing.ts'
import { filesOf, formOf } from '../../src/modules/project-archives/testing.ts'
import { modules } from '../../src/modules.ts'
import { makeFreshDatabase } from '../../src/testing/database.ts'
import { bytesAt, type Client, clientOf, type People, temporaryDirectory } from '../../src/testing/index.ts'
import { checkInstallation, type Installation, startVictim, type Victim } from '../campaign/process.ts'
import { type Allowed, addMembersOf, asExported, compare, readPlace, showAddresses } from './comparing.ts'
import { fillGroup } from './group-world.ts'
import { mayDifferInGroups, mayDifferInProjects } from './reasons.ts'

// Some thousand requests, many of which start git, and a dozen starts.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 })

const rootToken = 'a-token-for-the-crashes'
const operations = modules.flatMap((module) => [...(module.operations ?? [])])

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let fresh: Awaited<ReturnType<typeof makeFreshDatabase>>
let database: Database
let installation: Installation
let victim: Victim
let people: People
/** The server as it is now: its port is another one after each start. */
const server = () => ({
  ...{ root: clientOf(victim.url, rootToken), url: victim.url, rootToken, app: { operations } },
})
const as = ({ token }: Client) => clientOf(victim.url, token)

/** A person, made by the API. */
async function person(name: string) {
  const { root, url } = server()
  const email = `${name}@example.com`
  const account = {
    username: name,
    name: `${name} person`,
    email,
    force_random_password: true,
    skip_confirmation: true,
  }
  const { body: user } = await root.post('/users', account)
  const { body } = await root.post(`/users/${user.id}/personal_access_tokens`, { name: 'test', scopes: ['api'] })
  return { ...clientOf(url, body.token), id: user.id, username: name }
}

beforeAll(async () => {
  folder = await temporaryDirectory()
  fresh = await makeFreshDatabase()
  installation = { data: `${folder.path}/data`, databaseUrl: fresh.url, token: rootToken }
  victim = await startVictim(installation)
  database = await openDatabase({ url: fresh.url, migrations, durable: false })
  const limits = ['export', 'import', 'download_export'].flatMap((name) => [
    `project_${name}_limit`,
    `group_${name}_limit`,
  ])
  await server().root.put('/application/settings', Object.fromEntries(limits.map((name) => [name, 0])))
  const names = ['owner', 'maintainer', 'developer', 'reporter', 'guest', 'outsider']
  people = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await person(name)]))) as People
  await showAddresses(server(), people)
})
afterAll(async () => {
  await database.close()
  await victim.kill()
  await fresh.remove()
  await folder[Symbol.asyncDispose]()
})

/** Kills the server, and starts it again as a minute later, when the leases of the killed one have expired. */
async function crash(): Promise<void> {
  await victim.kill()
  const past = '2000-01-01T00:00:00.000Z'
  await database.write((tx) =>
    tx.updateTable('jobs').set({ lease_until: past }).where('state', '=', 'running').execute(),
  )
  victim = await startVictim(installation)
}

type Table = 'labels' | 'issues' | 'merge_requests' | 'snippets' | 'epics' | 'boards'

/** Waits until a project or group has rows in a table. */
const untilIn = (table: Table, column: 'project_id' | 'namespace_id' | 'group_id', id: number) =>
  expect
    .poll(
      () =>
        database.read
          .selectFrom(table as 'boards')
          .select('id')
          .where(column as 'project_id', '=', id)
          .executeTakeFirst(),
      { interval: 1, timeout: 120_000 },
    )
    .toBeDefined()

const stateOf = async (place: string, kind: 'export' | 'import') =>
  (await server().root.get(`${place}/${kind}`)).body[`${kind}_status`]

/** Exports while the server is killed as soon as it has begun. Until the archive is there, nothing is. */
async function exportedInSpiteOfCrashes(place: string): Promise<Buffer> {
  expect((await server().root.post(`${place}/export`)).status).toBe(202)
  await expect.poll(() => stateOf(place, 'export'), { interval: 1, timeout: 60_000 }).toMatch(/started|finished/)
  await crash()
  for (;;) {
    const { status, bytes } = await bytesAt(server().root, `${place}/export/download`)
    if (status === 200) return bytes
    expect([status, await stateOf(place, 'export')]).toEqual([404, expect.stringMatching(/queued|started|finished/)])
  }
}

test('a project that is exported and imported by a server that is killed is the same', async () => {
  const { owner, developer, outsider } = people
  const { body: project } = await owner.post('/projects', { name: 'work', path: 'work', initialize_with_readme: true })
  const place = `/projects/${project.id}`
  await addMembersOf(people, place)
  await fillProject({ server: server(), people, place })
  const archive = await exportedInSpiteOfCrashes(place)
  expect(filesOf(archive).has('tree/project/issues.ndjson')).toBe(true)
  const fields = { namespace: owner.username }
  const { body: killed } = await server().root.post('/projects/import', formOf(archive, { ...fields, path: 'killed' }))
  for (const table of ['labels', 'issues', 'merge_requests', 'snippets'] as const) {
    await untilIn(table, 'project_id', killed.id)
    await crash()
    if ((await stateOf(`/projects/${killed.id}`, 'import')) === 'finished') continue
    expect((await as(outsider).get(`/projects/${killed.id}`)).status).toBe(404)
    expect((await as(developer).get(`/projects/${killed.id}`)).status).toBe(404)
  }
  await expect.poll(() => stateOf(`/projects/${killed.id}`, 'import'), { timeout: 120_000 }).toBe('finished')
  const { body: again } = await server().root.post('/projects/import', formOf(archive, { ...fields, path: 'again' }))
  await expect.poll(() => stateOf(`/projects/${again.id}`, 'import'), { timeout: 120_000 }).toBe('finished')
  const was = await readPlace(server(), 'project', project.id)
  for (const { id } of [killed, again]) {
    const is = await readPlace(server(), 'project', id)
    expect(compare(was, is, mayDifferInProjects)).toEqual(asExported)
  }
})

test('a group that is exported and imported by a server that is killed is the same', async () => {
  const owner = as(people.owner)
  const { body: group } = await owner.post('/groups', { name: 'whole', path: 'whole' })
  const place = `/groups/${group.id}`
  const now = Object.fromEntries(Object.entries(people).map(([name, one]) => [name, { ...one, ...as(one) }])) as People
  await addMembersOf(now, place)
  await fillGroup(server(), now, place)
  const archive = await exportedInSpiteOfCrashes(place)
  await as(people.owner).post('/groups/import', formOf(archive, { path: 'killed', name: 'killed' }))
  const { body: killed } = await server().root.get('/groups/killed')
  for (const [table, column] of [
    ['labels', 'namespace_id'],
    ['boards', 'namespace_id'],
    ['epics', 'group_id'],
  ] as const) {
    await untilIn(table, column, killed.id)
    await crash()
    expect((await as(people.outsider).get('/groups/killed')).status).toBe(404)
  }
  /** Compares with an imported group once it is there. */
  const expectSame = async (path: string, more: Allowed = []) => {
    await expect.poll(() => stateOf(`/groups/${path}`, 'import'), { timeout: 120_000 }).toBe('finished')
    const [was, is] = [await readPlace(server(), 'group', 'whole'), await readPlace(server(), 'group', path)]
    expect(compare(was, is, [...mayDifferInGroups, ...more])).toEqual(asExported)
  }
  await expectSame('killed')
  await as(people.owner).post('/groups/import', formOf(archive, { path: 'later', name: 'later' }))
  await expectSame('later', [[/^groups\.transfer_locations /, 'of three groups, each has the two others']])
  await victim.stop()
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
})
