import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '../../../infra/database/index.ts'
import { repositoryOfProject } from '../../../platform/repositories/index.ts'
import { hookPushes } from '../index.ts'
import { type Hooked, startWithReceiver } from '../testing.ts'
import { triggers } from '../triggers.ts'
import { fire } from './fire.ts'

let given: Hooked
beforeAll(async () => {
  given = await startWithReceiver()
  await given.commit('first')
  await given.settle()
})
afterAll(() => given.stop())

/** Queries of a step of a transaction; of a few times the least, for jobs may be asking as well. */
async function queriesOf(step: (tx: Tx) => Promise<void>): Promise<number> {
  const { database } = given.server.app.platform
  const counts: number[] = []
  while (counts.length < 8) {
    const count = await database.write(async (tx) => {
      const before = database.queryCount()
      await step(tx)
      return database.queryCount() - before
    })
    counts.push(count)
  }
  return Math.min(...counts)
}

test('an event that no hook asks for costs two queries, and stores nothing', async () => {
  const { platform } = given.server.app
  const { database } = platform
  const repository = await repositoryOfProject(database.read, given.project.id)
  const pushed = { pushId: 1, repositoryId: repository?.id ?? 0, changes: [] }
  const none = Object.fromEntries(Object.values(triggers).flatMap(({ column }) => (column ? [[column, false]] : [])))
  for (const flags of [null, none]) {
    // Hooks that ask for other events make no difference.
    if (flags) for (const create of [given.hook, given.groupHook]) await create(flags)
    await given.settle()
    expect(await queriesOf((tx) => hookPushes(platform, tx, pushed))).toBe(2)
    const occasion = { trigger: 'issue', projectId: given.project.id } as const
    const payloads = { own: () => Promise.reject(new Error('no payload is built')) }
    expect(await queriesOf((tx) => fire(platform, tx, occasion, payloads))).toBe(2)
  }
  const stored = await database.read.selectFrom('jobs').select('kind').where('kind', 'like', '%hooks%').execute()
  expect(stored.filter(({ kind }) => !/prune|resume/.test(kind))).toEqual([])
  expect(await database.read.selectFrom('web_hook_events').select('id').execute()).toEqual([])
})
