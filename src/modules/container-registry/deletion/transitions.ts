import type { DeletionStatus } from '../tables.ts'

type Transition = { from: readonly (DeletionStatus | null)[]; to: DeletionStatus }

/** The states of a repository that is being deleted (contract 02 R8). The last transition is the removal of the record. */
export const transitions = {
  /** 1.4, or the deletion of the project. */
  request: { from: [null, 'delete_failed'], to: 'delete_scheduled' },
  /** A worker begins: at once, or at the time of the retry. */
  claim: { from: ['delete_scheduled'], to: 'delete_ongoing' },
  /** An error; the worker tries again later. */
  retry: { from: ['delete_ongoing'], to: 'delete_scheduled' },
  /** The last error. */
  give_up: { from: ['delete_ongoing'], to: 'delete_failed' },
  /** The worker was stopped, its process has ended, or it gave no sign of life. */
  release: { from: ['delete_ongoing'], to: 'delete_scheduled' },
} as const satisfies Record<string, Transition>

export type DeletionEvent = keyof typeof transitions

/** The number of errors after which a deletion has failed. */
export const maximumFailures = 10

const minuteMs = 60_000

/** How long a worker of a process that lives may be silent. */
export const silenceMs = 30 * minuteMs

/** The time until the next attempt, in milliseconds. @param failures how many there were before this one */
export function retryDelayMs(failures: number): number {
  return 2 ** failures * minuteMs
}
