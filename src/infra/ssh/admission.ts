/** Limits the number of concurrent connections. */
import { isIPv6 } from 'node:net'
import type { SshLimits } from './limits.ts'

/** The slot of one connection. */
export type Place = {
  /** To be called after authentication: the connection no longer counts as unauthenticated. */
  recognise(): void
  /** Releases the slot. */
  leave(): void
}

export type Admission = {
  /** Takes a slot. @returns null when a limit is reached */
  enter(address: string): Place | null
}

/** An IPv6 client usually controls a whole /64 network. */
function neighbourhood(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

export function createAdmission(limits: SshLimits): Admission {
  const perAddress = new Map<string, number>()
  let all = 0
  let unknown = 0

  return {
    enter(address) {
      const from = neighbourhood(address)
      const here = perAddress.get(from) ?? 0
      const isFull = all >= limits.connections || unknown >= limits.unknownConnections
      if (isFull || here >= limits.connectionsPerAddress) return null
      perAddress.set(from, here + 1)
      all += 1
      unknown += 1
      let isKnown = false
      let isOver = false
      const recognise = () => {
        if (isKnown) return
        isKnown = true
        unknown -= 1
      }
      return {
        recognise,
        leave() {
          if (isOver) return
          isOver = true
          recognise()
          all -= 1
          const left = (perAddress.get(from) ?? 1) - 1
          if (left === 0) perAddress.delete(from)
          else perAddress.set(from, left)
        },
      }
    },
  }
}
