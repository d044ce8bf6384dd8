/** Lets what is done to one thing follow each other, in the order in which it was asked for. */
export function inTurns() {
  const last = new Map<number, Promise<unknown>>()
  return async <T>(key: number, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const own = before.then(work, work)
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
