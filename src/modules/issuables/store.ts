import { type RawBuilder, sql } from 'kysely'
import { acquireLock, type Reader, type Tx, within } from '../../infra/database/index.ts'
import type { IssuableRef, IssuableType } from './issuable.ts'

/** The condition that a row refers to an issuable. */
export function refersTo({ type, id }: Pick<IssuableRef, 'type' | 'id'>): RawBuilder<boolean> {
  return sql<boolean>`(issuable_type = ${type} and issuable_id = ${id})`
}

/** The condition that a row refers to one of several issuables of a type. */
export function refersToAny(db: Reader, type: IssuableType, ids: readonly number[]): RawBuilder<boolean> {
  return sql<boolean>`(issuable_type = ${type} and ${within(db, 'issuable_id', ids)})`
}

/**
 * Lets the writes to what hangs on an issuable follow one another, so that its events replay to its present state
 * (contract 18, "Rules"). Held until the transaction ends.
 */
export async function lockIssuable(tx: Tx, { type, id }: Pick<IssuableRef, 'type' | 'id'>): Promise<void> {
  await acquireLock(tx, `issuable:${type}:${id}`)
}

/** Every table with rows of issuables. */
const tables = [
  'issuable_labels',
  'issuable_assignees',
  'issuable_times',
  'user_mentions',
  'cross_references',
  'time_logs',
  'resource_label_events',
  'resource_milestone_events',
  'resource_weight_events',
  'resource_iteration_events',
  'resource_state_events',
] as const

/** Deletes the rows of these issuables. */
export async function deleteRows(tx: Tx, type: IssuableType, ids: readonly number[]): Promise<void> {
  for (const table of tables) {
    await tx
      .deleteFrom(table)
      .where(refersToAny(tx, type, ids))
      .execute()
  }
  if (type !== 'MergeRequest') return
  await tx
    .updateTable('resource_state_events')
    .set({ source_merge_request_id: null })
    .where(within(tx, 'source_merge_request_id', ids))
    .execute()
}
