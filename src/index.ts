import { startEmbedded } from './embedded.ts'
import type { Fennec, FennecOptions } from './fennec.ts'

export type { Fennec, FennecOptions } from './fennec.ts'
export { type Clock, type ManualClock, manualClock } from './infra/clock/index.ts'

/**
 * Starts a whole server inside this process, on a free port, with nothing in it but `root`:
 *
 * ```ts
 * await using fennec = await startFennec()
 * await fetch(`${fennec.url}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': fennec.rootToken } })
 * ```
 */
export async function startFennec(options: FennecOptions = {}): Promise<Fennec> {
  return startEmbedded(options)
}
