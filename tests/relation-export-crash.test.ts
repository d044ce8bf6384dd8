import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../src/infra/database/index.ts'
import { migrations } from '../src/migrations/index.ts'
import { addIssues, exportsOf, type Line, linesOf } from '../src/modules/relation-exports/testing.ts'
import { makeFreshDatabase } from '../src/testing/database.ts'
import { type Client, clientOf, temporaryDirectory } from '../src/testing/index.ts'
import { checkInstallation, type Installation, startVictim, type Victim } from './campaign/process.ts'

vi.setConfig({ testTimeout: 240_000 })

const issues = 12_000
const token = 'a-token-for-the-exports'

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

const statusesOf = async (client: Client, place: string): Promise<Line[]> =>
  (await client.get(`${exportsOf(place)}/status`)).body

/** The runs of which the object store has files. */
async function storedRuns(): Promise<string[]> {
  const { openObjects } = await import('../src/infra/objects/index.ts')
  const { systemClock } = await import('../src/infra/clock/index.ts')
  const objects = await openObjects({ location: `file://${folder.path}/data/objects`, clock: systemClock })
  const keys = (await Array.fromAsync(objects.list())).map(({ key }) => key.split('/'))
  return [...new Set(keys.filter(([first]) => first === 'relation-exports').map((parts) => parts[3] as string))].sort()
}

test('a server that is killed while it exports finishes the export after its restart, and leaves no other files', async () => {
  const before = clientOf(server.url, token)
  const { body: project } = await before.post('/projects', { name: 'exported' })
  const { body: root } = await before.get('/user')
  const place = `/projects/${project.id}`
  await addIssues(database, project.id, root.id, 1, issues)
  expect((await before.post(exportsOf(place), { batched: true })).status).toBe(202)
  // The export of the issues is under way: it has stored some batches of twelve.
  await expect
    .poll(async () => (await statusesOf(before, place)).find(({ relation }) => relation === 'issues').batches_count, {
      interval: 1,
      timeout: 60_000,
    })
    .toBeGreaterThan(0)
  await server.kill()
  const unfinished = await database.read.selectFrom('relation_exports').selectAll().where('status', '=', 0).execute()
  expect(unfinished.map(({ relation }) => relation)).toContain('user_contributions')

  // The leases of the killed process would expire after a minute.
  const past = '2000-01-01T00:00:00.000Z'
  await database.write((tx) =>
    tx.updateTable('jobs').set({ lease_until: past }).where('state', '=', 'running').execute(),
  )
  server = await startVictim(installation)
  const after = clientOf(server.url, token)
  await expect
    .poll(async () => (await statusesOf(after, place)).filter(({ status }) => status !== 1), { timeout: 60_000 })
    .toEqual([])
  const iids = new Set<number>()
  for (let number = 1; number <= issues / 1000; number += 1) {
    const lines = await linesOf(after, place, 'issues', `&batched=true&batch_number=${number}`)
    for (const { iid } of lines) iids.add(iid)
  }
  expect(iids.size).toBe(issues)
  // Files of the killed run are deleted in the background.
  const runs = await database.read
    .selectFrom('relation_exports as e')
    .innerJoin('relation_export_files as f', 'f.export_id', 'e.id')
    .select('e.run')
    .distinct()
    .execute()
  await expect.poll(storedRuns, { timeout: 60_000 }).toEqual(runs.map(({ run }) => run).sort())
  await server.stop()
  expect(await checkInstallation(installation)).toMatchObject({ code: 0 })
})
