import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import type { Clock } from '../../../infra/clock/index.ts'
import { requestTimeout } from '../../operation/errors.ts'

/** An upload without data for this long is aborted. */
const idleMs = 60_000

/**
 * The bytes of an upload. There is no limit on its duration, only on pauses. When the reader leaves early the connection stays
 * open, so that the answer can be sent.
 * @param clock without it pauses have no limit
 * @param givenUp rejects when the reader cannot go on, which ends the waiting for data
 */
export async function* bytesOf(
  message: IncomingMessage,
  clock: Clock | undefined,
  givenUp?: Promise<never>,
): AsyncGenerator<Buffer> {
  let isMoving = true
  function look() {
    if (!isMoving) message.destroy(requestTimeout())
    isMoving = false
    timer = clock?.setTimer(look, idleMs)
  }
  let timer = clock?.setTimer(look, idleMs)
  let end: { error: Error | null | undefined } | undefined
  let wake = () => {}
  const onReadable = () => wake()
  message.on('readable', onReadable)
  // Not the stream's own iterator: leaving that takes until the next data.
  const stop = (error?: Error | null) => {
    end = { error }
    wake()
  }
  const stopWatching = finished(message, { writable: false }, stop)
  givenUp?.catch(stop)
  try {
    for (;;) {
      const chunk = message.destroyed ? null : (message.read() as Buffer | null)
      if (chunk !== null) {
        yield chunk
        isMoving = true
      } else if (end) {
        if (end.error) throw end.error
        return
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    timer?.cancel()
    stopWatching()
    message.off('readable', onReadable)
  }
}

/**
 * Has the bytes of an upload read, and leaves them when the reader ends, also one that stopped in their middle or still waits for data:
 * while a body has a reader, the rest of it cannot be discarded, and the connection serves no more requests.
 */
export async function readBytesOf<T>(
  message: IncomingMessage,
  clock: Clock | undefined,
  read: (bytes: AsyncGenerator<Buffer>) => Promise<T>,
): Promise<T> {
  const left = Promise.withResolvers<never>()
  left.promise.catch(() => {})
  const bytes = bytesOf(message, clock, left.promise)
  try {
    return await read(bytes)
  } finally {
    left.reject(new Error('the reader of the upload has ended'))
    // A wait for data ends by the rejection, which is handled later: the answer does not wait for it.
    void bytes.return(undefined)
  }
}
