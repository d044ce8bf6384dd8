/**
 * Lets callers share reads. Each gets the result of one that began after it asked, so it sees what was committed before: while
 * one is under way, all who ask wait for the next.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined

  function begin(): Promise<T> {
    const begun = read()
    const end = () => {
      if (running === begun) running = undefined
    }
    running = begun
    begun.then(end, end)
    return begun
  }

  async function afterRunning(): Promise<T> {
    // Its failure is not that of the next.
    await running?.catch(() => {})
    next = undefined
    return begin()
  }

  return () => {
    if (!running) return begin()
    next ??= afterRunning()
    return next
  }
}
