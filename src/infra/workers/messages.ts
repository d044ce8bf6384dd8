/** What a process and its workers tell each other. */

/** To a worker. The first message has what it is to work with, and what the first worker of all reported. */
export type ToWorker =
  | { kind: 'start'; number: number; given: unknown; found: unknown }
  | { kind: 'question'; id: number; name: string }
  | { kind: 'answers'; id: number; values: unknown[] }

/** From a worker. */
export type FromWorker =
  /** It serves. */
  | { kind: 'ready'; found: unknown }
  /** It serves no more, and is about to end. */
  | { kind: 'leaving' }
  /** A question to all workers that serve. */
  | { kind: 'ask'; id: number; name: string }
  | { kind: 'answer'; id: number; value: unknown }

/** How long a worker has for its answer. One that is silent is not waited for any longer. */
export const answerMs = 5_000
