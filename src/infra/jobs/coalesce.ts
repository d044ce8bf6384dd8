/**
 * Runs `work` one at a time; calls made while it runs share one more run, which begins after they were made.
 * So whoever awaits the result knows that a whole run has seen the world as it was at the call.
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
