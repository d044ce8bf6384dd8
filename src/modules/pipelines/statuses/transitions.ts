import { failure } from '../../../api/index.ts'
import { isFinished } from '../processing/transitions.ts'
import type { CommitState } from '../tables.ts'

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
