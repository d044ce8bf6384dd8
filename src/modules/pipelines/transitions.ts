import { failure } from '../../api/index.ts'
import type { CommitState } from './tables.ts'

const events: Record<CommitState, string> = {
  pending: 'enqueue',
  running: 'run',
  success: 'success',
  failed: 'drop',
  canceled: 'cancel',
  skipped: 'skip',
}

/** Where a status goes from here while it lasts; what is in neither row has come to its end. */
const ways: Partial<Record<CommitState, readonly CommitState[]>> = {
  pending: ['running', 'success', 'failed', 'canceled', 'skipped'],
  running: ['success', 'failed', 'canceled'],
}

/** Whether a status has come to its end. */
export function isFinished(state: CommitState): boolean {
  return ways[state] === undefined
}

/**
 * What a new state does to the status that a name has: changes it, or, when that has come to its end otherwise, begins
 * another one in its place (the system tries again).
 * @throws ApiError 400 for the same state again, or one that it has passed (contract 22, x.commits_status_set)
 */
export function transition(from: CommitState, to: CommitState): 'change' | 'begin anew' {
  if (ways[from]?.includes(to)) return 'change'
  if (isFinished(from) && from !== to) return 'begin anew'
  const event = events[to]
  throw failure(
    400,
    `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
  )
}

/** How many of a pipeline's latest statuses are in a state; those that may fail are told apart. */
export type StateCount = { status: CommitState; allow_failure: boolean }

/**
 * The status of a pipeline by those of its parts (contract 04, "Pipeline status, first match").
 * @param parts each combination once, however often it is there
 */
export function pipelineStatus(parts: readonly StateCount[]): CommitState {
  const states = new Set(
    parts.map(({ status, allow_failure }) => (status === 'failed' && allow_failure ? 'success' : status)),
  )
  const areAll = (...among: CommitState[]) => [...states].every((state) => among.includes(state))
  if (areAll('skipped')) return 'skipped'
  if (areAll('success', 'skipped')) return 'success'
  if (areAll('pending')) return 'pending'
  if (states.has('running') || states.has('pending')) return 'running'
  return states.has('failed') ? 'failed' : 'canceled'
}
