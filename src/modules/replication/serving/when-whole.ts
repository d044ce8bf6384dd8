import { Transform } from 'node:stream'
import { handled } from '../../../infra/streams/index.ts'

/** A longer body is passed on as it comes. */
const longestBytes = 256 * 1024

/**
 * Passes a body on when it is whole and something was done with it. A client that knows its length has all of it with the last byte, so
 * none is sent before.
 */
export function whenWhole(work: (body: Buffer) => Promise<void>): Transform {
  let held: Buffer[] = []
  let sizeBytes = 0
  return handled(
    new Transform({
      transform(chunk: Buffer, _encoding, next) {
        sizeBytes += chunk.length
        held.push(chunk)
        if (sizeBytes <= longestBytes) return next()
        const sent = Buffer.concat(held)
        held = []
        next(null, sent)
      },
      flush(next) {
        if (sizeBytes > longestBytes) return next()
        const body = Buffer.concat(held)
        work(body).then(() => next(null, body), next)
      },
    }),
  )
}
