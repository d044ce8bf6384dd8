import { fail } from '../configured.ts'

/**
 * Ends this process cleanly at the first signal. Further signals are ignored: one Ctrl-C may send several.
 * @returns ends it in the same way without a signal
 */
export function stopOnSignal(stop: () => Promise<void>): () => Promise<void> {
  let isStopping = false
  const end = async () => {
    if (isStopping) return
    isStopping = true
    await stop().catch((error: Error) => fail(`did not stop cleanly: ${error.message}`))
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  return end
}
