import { failure } from '../../../api/index.ts'
import type { CiState, CommitState } from '../tables.ts'

const events: Record<CommitState, string> = {
  pending: 'enqueue',
  running: 'run',
  success: 'success',
  failed: 'drop',
  canceled: 'cancel',
  skipped: 'skip',
}

/** The transitions of unfinished states. */
const transitions: Partial<Record<CommitState, readonly CommitState[]>> = {
  pending: ['running', 'success', 'failed', 'canceled', 'skipped'],
  running: ['success', 'failed', 'canceled'],
}

const finished: ReadonlySet<CiState> = new Set(['success', 'failed', 'canceled', 'skipped'])

/** Whether a state is final. */
export function isFinished(state: CiState): boolean {
  return finished.has(state)
}

/** Whether a state changes the current one or, after a final one, replaces it. @throws ApiError 400 if it may not */
export function transition(from: CommitState, to: CommitState): 'change' | 'replace' {
  if (transitions[from]?.includes(to)) return 'change'
  if (isFinished(from) && from !== to) return 'replace'
  const event = events[to]
  throw failure(
    400,
    `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
  )
}

/** A state of a pipeline's current statuses. */
export type StatusState = { status: CiState; allow_failure: boolean }

/** The status of a pipeline from its commit statuses (contract 04, "Pipeline status, first match"). */
export function pipelineStatus(parts: readonly StatusState[]): CiState {
  const states = new Set(
    parts.map(({ status, allow_failure }) => (status === 'failed' && allow_failure ? 'success' : status)),
  )
  const areAll = (...allowed: CiState[]) => [...states].every((state) => allowed.includes(state))
  if (areAll('skipped')) return 'skipped'
  if (areAll('success', 'skipped')) return 'success'
  if (areAll('pending')) return 'pending'
  if (states.has('running') || states.has('pending')) return 'running'
  return states.has('failed') ? 'failed' : 'canceled'
}
