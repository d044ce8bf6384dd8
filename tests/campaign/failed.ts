/** An answer that is no success. `status` 0: the connection broke, or git said this. */
export type Failure = { status: number; text: string }

/** What was asked for failed. */
export class Failed extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(`${failure.status} ${failure.text}`)
    this.failure = failure
  }
}

/** Whether an error says that the connection broke, as it does when the server is killed. */
export const isBroken = (error: unknown): boolean => error instanceof Failed && error.failure.status === 0
