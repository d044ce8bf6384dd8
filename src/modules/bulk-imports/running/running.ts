import type { UserActor } from '../../../api/index.ts'
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
