/** What a thread says to the one that started it. */
export type FromThread =
  | { kind: 'question'; id: number; name: string; parameters: readonly unknown[] }
  | { kind: 'result'; result: unknown }
  | { kind: 'failure'; error: Error }

/** The answer to a question. */
export type ToThread = { id: number; answer: unknown }

/** What a thread of a pool says after each task. The members of an error, such as its code, are not copied with it. */
export type ToPool<Result> = { result: Result } | { error: Error; members: object }
