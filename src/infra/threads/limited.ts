/**
 * Makes a function that does work for its callers, for at most so many at once; the others wait in their order.
 * @param most how many
 */
export function limited(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async function run(work) {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The place passes to the next one directly.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
