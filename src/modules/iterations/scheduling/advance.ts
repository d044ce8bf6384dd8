import { dayOf } from '../../../api/index.ts'
import { now, portions } from '../../../infra/database/index.ts'
import { type Job, type Platform, react } from '../../../platform/index.ts'
import { cadenceById } from '../cadences/store.ts'
import { lockIterationsOf } from '../core/store.ts'
import type { CadenceRow } from '../tables.ts'
import { extend } from './schedule.ts'
import * as store from './store.ts'

const hourSeconds = 3600
const atOnce = 100

async function extendOne({ database, clock }: Platform, { id, namespace_id: groupId }: CadenceRow): Promise<void> {
  await database.write(async (tx) => {
    await lockIterationsOf(tx, groupId)
    // It may have been changed or deleted since the list was read.
    const cadence = await cadenceById(tx, groupId, id)
    if (cadence) await extend(tx, cadence, dayOf(clock.now()), now(clock))
  })
}

async function close(platform: Platform, ended: store.EndedIteration): Promise<void> {
  await platform.database.write(async (tx) => {
    if (!(await store.markClosed(tx, ended))) return
    const nextIterationId = ended.roll_over ? await store.firstAfter(tx, ended.cadence_id, ended.due_date) : null
    await react(platform, tx, 'iteration.closed', { iterationId: ended.id, nextIterationId })
  })
}

/**
 * Creates the upcoming iterations of automatic cadences, and handles the end of iterations (contract 17, "Rules"). Runs on
 * the hour, so that it follows midnight at once.
 */
export const advanceIterations: Job<null> = {
  kind: 'iterations.advance',
  every: { seconds: hourSeconds, offsetSeconds: 0 },
  async run(platform) {
    const { database, clock } = platform
    const today = dayOf(clock.now())
    // First, so that an iteration that ends has a next one.
    for await (const cadences of portions((afterId) => store.lackingCadences(database.read, today, afterId, atOnce))) {
      for (const cadence of cadences) await extendOne(platform, cadence)
    }
    let ended = await store.endedIterations(database.read, today, atOnce)
    for (; ended.length > 0; ended = await store.endedIterations(database.read, today, atOnce)) {
      // The earliest first: its issues may go through several iterations that have ended.
      for (const one of ended) await close(platform, one)
    }
  },
}
