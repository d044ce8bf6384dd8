import type { Tx } from '../../../infra/database/index.ts'
import type { ChangeOrigin, IssuableRef } from '../issuable.ts'
import type { RecordedState } from '../tables.ts'
import { insertEvents } from './store.ts'

/** The value before and after a change; null: none. */
export type ValueChange = { from: number | null; to: number | null }

/** The event of a change from one milestone or iteration to another: only that the new one was added (contract 18, "Rules"). */
function actionOf({ from, to }: ValueChange): { id: number; action: 'add' | 'remove' } | null {
  if (from === to) return null
  if (to !== null) return { id: to, action: 'add' }
  return from === null ? null : { id: from, action: 'remove' }
}

/** The tables of changes from one value to another, with the column that names the value. */
const valueColumns = { resource_milestone_events: 'milestone_id', resource_iteration_events: 'iteration_id' } as const

/** Records in one of these tables that issuables have another value; nothing when it is the same. The caller stores the value. */
const recordIn =
  (table: keyof typeof valueColumns) =>
  async (tx: Tx, targets: readonly IssuableRef[], change: ValueChange, origin: ChangeOrigin): Promise<void> => {
    const changed = actionOf(change)
    if (!changed) return
    const event = { [valueColumns[table]]: changed.id, action: changed.action }
    await insertEvents(tx, table, targets, origin, [event as never])
  }

/** Records that these issuables have another milestone (contract 18, "Rules"). */
export const recordMilestoneChange = recordIn('resource_milestone_events')

/** Records that these issues have another iteration (contract 18, "Rules"). */
export const recordIterationChange = recordIn('resource_iteration_events')

/** Records that these issues have another weight; nothing when it is the same. The caller stores the weight. */
export async function recordWeightChange(
  tx: Tx,
  targets: readonly IssuableRef[],
  { from, to }: ValueChange,
  origin: ChangeOrigin,
): Promise<void> {
  if (from !== to) await insertEvents(tx, 'resource_weight_events', targets, origin, [{ weight: to }])
}

/** A new state, and the commit or the merge request that closed the issue. */
export type StateChange = { state: RecordedState; sourceCommit?: string; sourceMergeRequestId?: number }

/** Records that these issuables were closed, reopened or merged. The caller stores the state, if it really changes. */
export async function recordStateChange(
  tx: Tx,
  targets: readonly IssuableRef[],
  { state, sourceCommit, sourceMergeRequestId }: StateChange,
  origin: ChangeOrigin,
): Promise<void> {
  const sources = { source_commit: sourceCommit ?? null, source_merge_request_id: sourceMergeRequestId ?? null }
  await insertEvents(tx, 'resource_state_events', targets, origin, [{ state, ...sources }])
}
