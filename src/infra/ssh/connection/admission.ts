/** Limits the number of concurrent connections. */
import { networkOf } from '../../net/index.ts'
import type { SshLimits } from '../limits.ts'

/** The slot of one connection. */
export type ConnectionSlot = {
  /** To be called after authentication: the connection no longer counts as unauthenticated. */
  markAuthenticated(): void
  /** Releases the slot; to be called once. */
  release(): void
}

/** Counts connections. @returns a function that takes a slot; null when a limit is reached */
export function createAdmission(limits: SshLimits): (address: string) => ConnectionSlot | null {
  const perAddress = new Map<string, number>()
  let all = 0
  let unknown = 0

  return (address) => {
    const from = networkOf(address)
    const here = perAddress.get(from) ?? 0
    const isFull = all >= limits.connections || unknown >= limits.unknownConnections
    if (isFull || here >= limits.connectionsPerAddress) return null
    perAddress.set(from, here + 1)
    all += 1
    unknown += 1
    let isKnown = false
    const markAuthenticated = () => {
      if (!isKnown) unknown -= 1
      isKnown = true
    }
    return {
      markAuthenticated,
      release() {
        markAuthenticated()
        all -= 1
        const left = (perAddress.get(from) ?? 1) - 1
        if (left === 0) perAddress.delete(from)
        else perAddress.set(from, left)
      },
    }
  }
}
