/** How many may be connected at the same time. */
import { isIPv6 } from 'node:net'
import type { SshLimits } from './limits.ts'

/** A place for one connection. */
export type Place = {
  /** The client is known now, and counts no longer among those who are not. */
  recognise(): void
  /** Gives the place back. */
  leave(): void
}

export type Admission = {
  /** @returns null when there is no place */
  enter(address: string): Place | null
}

/** Whoever has one IPv6 address has a whole /64 network of them. */
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
