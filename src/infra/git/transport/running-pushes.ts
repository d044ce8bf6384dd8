/** Counts the pushes that this process is receiving, for each repository directory. */
export type RunningPushes = {
  /** Counts a push until `receive` settles. */
  during<Result>(directory: string, receive: () => Promise<Result>): Promise<Result>
  has(directory: string): boolean
}

/** Creates an empty counter. */
export function runningPushes(): RunningPushes {
  const counts = new Map<string, number>()
  return {
    async during(directory, receive) {
      counts.set(directory, (counts.get(directory) ?? 0) + 1)
      try {
        return await receive()
      } finally {
        const left = (counts.get(directory) ?? 1) - 1
        if (left === 0) counts.delete(directory)
        else counts.set(directory, left)
      }
    },
    has: (directory) => counts.has(directory),
  }
}
