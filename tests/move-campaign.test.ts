import { expect, test, vi } from 'vitest'
import { makeFreshDatabase } from '../src/testing/database.ts'
import { temporaryDirectory } from '../src/testing/index.ts'
import { runMoveCampaign } from './campaign/moves/campaign.ts'

vi.setConfig({ testTimeout: 240_000 })

test('repositories move while clients push and clone, also when the server is killed', async () => {
  await using folder = await temporaryDirectory()
  const database = await makeFreshDatabase()
  const options = { projects: 6, rounds: 2, seed: 7, nodes: 1, clients: 1, folder: folder.path, tell: () => {} }
  expect(await runMoveCampaign({ ...options, databaseUrl: database.url })).toEqual([])
  await database.remove()
})
