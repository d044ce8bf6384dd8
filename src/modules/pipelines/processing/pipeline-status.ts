import type { CiState } from '../tables.ts'

/** What the status of a pipeline depends on: the state of one of its latest jobs. */
export type PartState = { status: CiState; allow_failure: boolean }

/** A part as it counts: failures that are allowed, and manual jobs that need not be started, have a state of their own. */
type Counted = CiState | 'allowed_failure' | 'optional_manual'

function counted({ status, allow_failure: isAllowed }: PartState): Counted {
  if (isAllowed && status === 'failed') return 'allowed_failure'
  return isAllowed && status === 'manual' ? 'optional_manual' : status
}

const endedWell: readonly Counted[] = ['success', 'skipped', 'allowed_failure', 'optional_manual']
const ended: readonly Counted[] = [...endedWell, 'failed', 'canceled']

/**
 * The status of a pipeline from its latest jobs: the first line that matches (contract 04, "Pipeline status, first match").
 * Jobs that wait for a resource make the pipeline wait for it when no other job is queued or running.
 */
export function pipelineStatus(parts: readonly PartState[]): CiState {
  const states = new Set(parts.map(counted))
  const areAll = (...allowed: readonly Counted[]) => [...states].every((state) => allowed.includes(state))
  const isAny = (...wanted: readonly Counted[]) => wanted.some((state) => states.has(state))
  if (areAll('skipped', 'optional_manual')) return 'skipped'
  if (areAll(...endedWell)) return 'success'
  if (areAll('created', ...endedWell)) return 'created'
  if (isAny('canceling')) return 'canceling'
  if (areAll(...ended) && isAny('canceled') && !isAny('failed')) return 'canceled'
  if (isAny('running')) return 'running'
  if (isAny('pending')) return areAll('pending', 'created', 'optional_manual') ? 'pending' : 'running'
  if (isAny('preparing')) return 'preparing'
  if (isAny('waiting_for_callback')) return 'waiting_for_callback'
  if (isAny('waiting_for_resource')) return 'waiting_for_resource'
  if (isAny('manual')) return 'manual'
  if (isAny('scheduled')) return 'scheduled'
  return isAny('created') ? 'running' : 'failed'
}
