/**
 * Wraps `work` so that it runs one at a time. Calls during a run share one further run that starts when the current one ends,
 * so every caller awaits a run that started after its call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let waiting: Promise<void> | undefined
  const run = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (waiting) return waiting
    if (!running) return run()
    waiting = running
      .catch(() => {})
      .then(() => {
        waiting = undefined
        return run()
      })
    return waiting
  }
}
