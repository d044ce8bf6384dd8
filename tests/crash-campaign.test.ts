import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeFreshDatabase } from '../src/testing/database.ts'
import { temporaryDirectory } from '../src/testing/index.ts'
import { runCampaign } from './campaign/kill/campaign.ts'
import { openLedger } from './campaign/ledger.ts'

vi.setConfig({ testTimeout: 240_000 })

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let database: Awaited<ReturnType<typeof makeFreshDatabase>>

beforeEach(async () => {
  folder = await temporaryDirectory()
  database = await makeFreshDatabase()
})
afterEach(async () => {
  await database.remove()
  await folder[Symbol.asyncDispose]()
})

test('a server that is killed repeatedly retains acknowledged changes', async () => {
  const options = {
    rounds: 3,
    seed: 7,
    changes: 30,
    life: 2000,
    folder: folder.path,
    databaseUrl: database.url,
    tell: () => {},
  }
  expect(await runCampaign(options)).toEqual([])
})

test('the ledger finds lost, restored and unrequested changes', () => {
  const ledger = openLedger()
  ledger.acknowledge('lost', 'a')
  ledger.acknowledge('deleted', null)
  ledger.acknowledge('kept', 'b')
  ledger.begin('kept', 'c')
  const problems = ledger.settle(
    new Map([
      ['deleted', 'd'],
      ['kept', 'c'],
      ['foreign', 'e'],
    ]),
  )
  expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(['deleted', 'foreign', 'lost'])
})
