import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ObjectError, type ObjectStore } from '../../infra/objects/index.ts'
import type { Storages } from '../repositories/index.ts'
import type { Failing } from './monitored.ts'

/** What a server needs to serve. */
export type Needed = {
  state(): 'starting' | 'ready' | 'stopping'
  /** Without root no authorised call could work. */
  anyUserExists(): Promise<boolean>
  git: Promise<{ isAvailable(): boolean }>
  storages: Pick<Storages, 'away'>
  objects: Pick<ObjectStore, 'check'>
  /** What modules name in addition. */
  others(): Failing[]
  log: Pick<Logger, 'warn' | 'info'>
}

/** How long the probe waits for each part: one that hangs must not hang the probe. */
const partTimeoutMs = 1_500

/** @param late what a part says that has not answered in time. Real time: what hangs is outside of this process. */
export function within<Result>(asking: Promise<Result>, late: Result): Promise<Result> {
  return Promise.race([asking, sleep(partTimeoutMs, late, { ref: false })])
}

/** Gives all who ask meanwhile the answer that is under way, so that slow answers do not pile up. */
function once<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let asking: Promise<Result> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}

const databaseFails: Failing[] = [{ check: 'db', message: 'the database does not answer' }]
const objectsFail: Failing[] = [{ check: 'object_store', message: 'the object store is unreachable' }]
const storageAway = (shard: string): Failing => ({
  check: 'storages',
  message: `the folder of the storage ${shard} is not mounted`,
  shard,
})

/** Creates the check behind the readiness probe (contract 20, x.readiness). @returns what does not work, also when the server is ready all the same; nothing when all does */
export function createReadiness(needed: Needed): () => Promise<Failing[]> {
  const { log, storages, objects } = needed
  const parts: [ask: () => Promise<Failing[]>, late: Failing[]][] = [
    [
      () =>
        needed.anyUserExists().then(
          (isThere) => (isThere ? [] : databaseFails),
          () => databaseFails,
        ),
      databaseFails,
    ],
    [
      async () => ((await needed.git).isAvailable() ? [] : [{ check: 'git', message: 'git cannot be started' }]),
      [{ check: 'git', message: 'git is being started' }],
    ],
    [
      async () => (await storages.away()).map(storageAway),
      [{ check: 'storages', message: 'the folder of a storage does not answer' }],
    ],
    [
      () =>
        objects.check().then(
          () => [],
          (error) => [
            { check: 'object_store', message: error instanceof ObjectError ? error.message : 'the object store fails' },
          ],
        ),
      objectsFail,
    ],
  ]
  const asked = parts.map(([ask, late]) => ({ ask: once(ask), late }))
  let reported = ''

  /** Logs what changes, not each probe. */
  function report(failing: readonly Failing[]): void {
    const text = failing.map(({ message }) => message).join('; ')
    if (text === reported) return
    if (text === '') log.info('the server is ready again')
    else if (failing.every(({ isBearable }) => isBearable)) log.warn({ reason: text }, 'the server is ready in part')
    else log.warn({ reason: text }, 'the server is not ready')
    reported = text
  }

  return async () => {
    if (needed.state() !== 'ready') return [{ check: 'master', message: `the server is ${needed.state()}` }]
    const parts = await Promise.all(asked.map(({ ask, late }) => within(ask(), late)))
    const failing = [...parts.flat(), ...needed.others()]
    report(failing)
    return failing
  }
}
