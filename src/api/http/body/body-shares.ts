import type { Clock } from '../../../infra/clock/index.ts'
import { ApiError, requestTimeout, unavailable } from '../../operation/errors.ts'

/** What a body of an unknown sender takes of the limits. */
export type BodyShare = {
  /** Counts bytes that are held in memory or on the disk. @throws ApiError 429, 503; 408 when the body takes too long */
  take(bytes: number): void
  /** Gives everything back. May be called again. */
  close(): void
}

/** The limits of the bodies of unknown senders. */
export type BodyShares = {
  /** Begins a body. @param address of the sender @throws ApiError 429, 503 */
  open(address: string): BodyShare
}

/** The limits of one address, and those of all together (contract 00, "Limits"). */
const ofAddress = { bodies: 8, bytes: 128 * 1024 * 1024 }
const ofAll = { bodies: 64, bytes: 256 * 1024 * 1024 }
/** Longer than a body that is read into memory may take. */
const longestMs = 120_000
const retryAfterSeconds = 5

type Used = { bodies: number; bytes: number }

const tooMany = () =>
  new ApiError(
    'too_many_bodies',
    429,
    { message: 'Too many request bodies without credentials are sent from this address. Retry later.' },
    { 'Retry-After': String(retryAfterSeconds) },
  )

const exceeds = (used: Used, limit: Used) => used.bodies > limit.bodies || used.bytes > limit.bytes

/**
 * Limits what senders without known credentials store while their bodies are read: the number of bodies and of bytes at
 * once, for an address and in all.
 */
export function bodyShares(clock: Clock | undefined): BodyShares {
  const all: Used = { bodies: 0, bytes: 0 }
  const addresses = new Map<string, Used>()
  return {
    open(address) {
      const own = addresses.get(address) ?? { bodies: 0, bytes: 0 }
      addresses.set(address, own)
      const begunMs = clock?.now().getTime() ?? 0
      let held: Used | null = { bodies: 0, bytes: 0 }
      const close = () => {
        if (!held) return
        for (const used of [own, all]) {
          used.bodies -= held.bodies
          used.bytes -= held.bytes
        }
        held = null
        if (own.bodies === 0) addresses.delete(address)
      }
      const add = (bodies: number, bytes: number) => {
        if (!held) return
        for (const used of [held, own, all]) {
          used.bodies += bodies
          used.bytes += bytes
        }
        if (exceeds(own, ofAddress)) throw tooMany()
        if (exceeds(all, ofAll)) throw unavailable(retryAfterSeconds)
      }
      const take = (bytes: number) => {
        if (held && clock && clock.now().getTime() - begunMs > longestMs) throw requestTimeout()
        add(0, bytes)
      }
      try {
        add(1, 0)
      } catch (error) {
        close()
        throw error
      }
      return { take, close }
    },
  }
}
