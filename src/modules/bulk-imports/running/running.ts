import type { UserActor } from '../../../api/index.ts'
import type { Timer } from '../../../infra/clock/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Source } from '../source/index.ts'
import type { BulkImportRow, EntityRow } from '../tables.ts'
import * as store from './store.ts'

/** An entity that is being imported. */
export type Running = {
  platform: Platform
  migration: BulkImportRow
  /** As it was when the run began. */
  entity: EntityRow
  source: Source
  /** Who migrates. */
  actor: UserActor
  signal: AbortSignal
  /** Has entities imported, in the transaction that inserts them. */
  follow(tx: Tx, entityIds: readonly number[]): Promise<void>
}

/** The entity has ended meanwhile: it was canceled, or its user deleted. */
export class Superseded extends Error {
  override name = 'Superseded'
}

/** The source is not ready, or does not answer: the run goes on later. */
export class NotReady extends Error {
  override name = 'NotReady'
}

/** The entity cannot be imported. The message is shown to users. */
export class EntityFailed extends Error {
  override name = 'EntityFailed'
}

/** Writes while an entity is being imported, as progress. @throws Superseded */
export function advance<Value>({ platform, entity }: Running, write: (tx: Tx) => Promise<Value>): Promise<Value> {
  return platform.database.write(async (tx) => {
    if (!(await store.recordProgress(tx, entity.id, now(platform.clock)))) throw new Superseded()
    return write(tx)
  })
}

/** How often a run looks whether its entity has ended: any process may end it. */
const lookMs = 5_000

/** A signal that is aborted when a run has no more to do. Disposing of it ends the looking. */
export type Watched = Disposable & { signal: AbortSignal; readonly isSuperseded: boolean }

/**
 * Watches whether an entity ends while it is imported, since it is canceled: what waits for the source then stops.
 * @param signal ends the run for other reasons
 */
export function watchEntity({ database, clock, log }: Platform, entityId: number, signal: AbortSignal): Watched {
  const ending = new AbortController()
  let timer: Timer
  let isDisposed = false
  const look = async (): Promise<void> => {
    try {
      const hasEnded = !(await store.isUnfinished(database.read, entityId))
      if (hasEnded) ending.abort(new Superseded())
    } catch (error) {
      log.warn({ err: error, entity: entityId }, 'the state of an entity could not be read')
    }
    if (!isDisposed && !ending.signal.aborted) arm()
  }
  const arm = (): void => {
    timer = clock.setTimer(() => void look(), lookMs)
  }
  arm()
  return {
    signal: AbortSignal.any([signal, ending.signal]),
    get isSuperseded() {
      return ending.signal.aborted
    },
    [Symbol.dispose]() {
      isDisposed = true
      timer.cancel()
    },
  }
}
