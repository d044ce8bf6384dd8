import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { archiveOf, filesOf, formOf, type Line } from '../src/modules/project-archives/testing.ts'
import { makeFreshDatabase } from '../src/testing/database.ts'
import { bytesAt, type Client, clientOf, temporaryDirectory } from '../src/testing/index.ts'
import { checkInstallation, type Installation, startVictim, type Victim } from './campaign/process.ts'

vi.setConfig({ testTimeout: 240_000 })

const issues = 1_000
const token = 'a-token-for-the-imports'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let fresh: Awaited<ReturnType<typeof makeFreshDatabase>>
let database: Database
let installation: Installation
let server: Victim
beforeAll(async () => {
  folder = await temporaryDirectory()
  fresh = await makeFreshDatabase()
  installation = { data: `${folder.path}/data`, databaseUrl: fresh.url, token }
  server = await startVictim(installation)
  database = await openDatabase({ url: fresh.url, migrations, durable: false })
})
afterAll(async () => {
  await database.close()
  await server.kill()
  await fresh.remove()
  await folder[Symbol.asyncDispose]()
})

const until = (client: Client, path: string, member: string, wanted: string) =>
  expect.poll(async () => (await client.get(path)).body[member], { timeout: 120_000 }).toBe(wanted)

/** The leases of a killed process would expire after a minute. */
async function expireLeases(): Promise<void> {
  const past = '2000-01-01T00:00:00.000Z'
  await database.write((tx) =>
    tx.updateTable('jobs').set({ lease_until: past }).where('state', '=', 'running').execute(),
  )
}

/** An archive with many issues, each with two notes, and with many snippets. */
async function archive(client: Client): Promise<Buffer> {
  const { body: project } = await client.post('/projects', { name: 'source', initialize_with_readme: true })
  await client.post(`/projects/${project.id}/export`)
  await until(client, `/projects/${project.id}/export`, 'export_status', 'finished')
  const files = filesOf((await bytesAt(client, `/projects/${project.id}/export/download`)).bytes)
  const at = { author_id: 1, created_at: '2026-01-02T03:04:05.678Z' }
  const lines = (count: number, lineOf: (number: number) => object) =>
    Buffer.from(Array.from({ length: count }, (_, index) => `${JSON.stringify(lineOf(index + 1))}\n`).join(''))
  const notes = ['a', 'b'].map((note) => ({ note, ...at }))
  files.set(
    'tree/project/issues.ndjson',
    lines(issues, (iid) => ({ iid, title: `Issue ${iid}`, notes, ...at })),
  )
  const snippet = (number: number) => ({ title: `Snippet ${number}`, file_name: 'a.txt', content: 'x', ...at })
  files.set('tree/project/snippets.ndjson', lines(10, snippet))
  return archiveOf(files)
}

const countOf = async (table: 'issues' | 'notes' | 'snippets', projectId: number) => {
  const query = database.read.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
  return Number((await query.where('project_id', '=', projectId).executeTakeFirstOrThrow()).count)
}

test('an import that is killed goes on where it was, and imports no row twice', async () => {
  let client = clientOf(server.url, token)
  const { body } = await client.post('/projects/import', formOf(await archive(client), { path: 'copy' }))
  const project: Line = body
  // Once among the issues, once among the snippets.
  for (const [table, some] of [
    ['issues', 100],
    ['snippets', 2],
  ] as const) {
    await expect.poll(() => countOf(table, project.id), { interval: 1, timeout: 120_000 }).toBeGreaterThan(some)
    await server.kill()
    await expireLeases()
    server = await startVictim(installation)
    client = clientOf(server.url, token)
  }
  await until(client, `/projects/${project.id}/import`, 'import_status', 'finished')
  const { body: state } = await client.get(`/projects/${project.id}/import`)
  expect(state).toMatchObject({ failed_relations: [], import_error: null })
  expect(await countOf('issues', project.id)).toBe(issues)
  expect(await countOf('notes', project.id)).toBe(2 * issues)
  const shown = (await client.get(`/projects/${project.id}/snippets?per_page=100`)).body
  expect(shown.map(({ title }: Line) => title).sort()).toEqual(
    Array.from({ length: 10 }, (_, index) => `Snippet ${index + 1}`).sort(),
  )
  expect((await client.get(`/projects/${project.id}/repository/branches`)).body).toHaveLength(1)
  await server.stop()
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
})

test('an export that is killed starts over', async () => {
  server = await startVictim(installation)
  let client = clientOf(server.url, token)
  const { body: projects } = await client.get('/projects?search=copy')
  const place = `/projects/${projects[0].id}`
  expect((await client.post(`${place}/export`)).status).toBe(202)
  await expect
    .poll(async () => (await client.get(`${place}/export`)).body.export_status, { interval: 1, timeout: 60_000 })
    .toMatch(/started|finished/)
  await server.kill()
  await expireLeases()
  server = await startVictim(installation)
  client = clientOf(server.url, token)
  await until(client, `${place}/export`, 'export_status', 'finished')
  const files = filesOf((await bytesAt(client, `${place}/export/download`)).bytes)
  const lines = String(files.get('tree/project/issues.ndjson')).split('\n')
  expect(lines.filter((line) => line !== '')).toHaveLength(issues)
})
