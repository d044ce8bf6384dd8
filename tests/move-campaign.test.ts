import { expect, test, vi } from 'vitest'
import { makeFreshDatabase, onPostgres } from '../src/testing/database.ts'
import { temporaryDirectory } from '../src/testing/index.ts'
import { runCampaign } from './campaign/moves/campaign.ts'

vi.setConfig({ testTimeout: 240_000 })

test('repositories move while clients push and clone, also when the server is killed', async () => {
  await using folder = await temporaryDirectory()
  const database = await makeFreshDatabase()
  // On PostgreSQL the jobs of a killed server are taken over after a minute: `npm run campaign moves` waits for that.
  const rounds = onPostgres ? 0 : 1
  const options = { projects: 4, rounds, seed: 7, nodes: 1, clients: 1, folder: folder.path, tell: () => {} }
  expect(await runCampaign({ ...options, databaseUrl: database.url })).toEqual([])
  await database.remove()
})
