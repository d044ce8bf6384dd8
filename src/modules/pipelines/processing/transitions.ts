import type { CiState } from '../tables.ts'

/** One line of the table of contract 04, "Statuses". */
type Transition = { from: readonly CiState[]; to: CiState }

const waiting = ['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending'] as const
const startable = ['created', 'manual', 'scheduled'] as const

/** What can happen to a job. Every change of its status is one of these. */
export const transitions = {
  enqueue: { from: [...startable, 'waiting_for_resource'], to: 'pending' },
  wait_for_resource: { from: startable, to: 'waiting_for_resource' },
  hold: { from: ['created', 'scheduled'], to: 'manual' },
  delay: { from: ['created'], to: 'scheduled' },
  skip: { from: ['created'], to: 'skipped' },
  /** The jobs that it waits for run again. */
  reset: { from: ['skipped'], to: 'created' },
  run: { from: ['pending'], to: 'running' },
  succeed: { from: ['running'], to: 'success' },
  fail: { from: [...waiting, 'manual', 'scheduled', 'running'], to: 'failed' },
  /** No runner has taken it, or can execute it. */
  refuse: { from: ['pending'], to: 'failed' },
  cancel: { from: [...waiting, 'manual', 'scheduled', 'running'], to: 'canceled' },
  /** The runner is asked to end the job itself. */
  cancel_gracefully: { from: ['running'], to: 'canceling' },
  /** The runner has ended the job, or is not waited for. */
  end_canceling: { from: ['canceling'], to: 'canceled' },
} as const satisfies Record<string, Transition>

export type JobEvent = keyof typeof transitions

const final: ReadonlySet<CiState> = new Set(['success', 'failed', 'canceled', 'skipped'])

/** Whether a state of a job or pipeline is final. */
export function isFinished(state: CiState): boolean {
  return final.has(state)
}

/** Whether a runner works on a job. */
export function isActive(state: CiState): boolean {
  return state === 'running' || state === 'canceling'
}
