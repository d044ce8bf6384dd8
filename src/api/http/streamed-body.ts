import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../infra/clock/index.ts'
import { requestTimeout } from '../operation/errors.ts'

/** An upload without data for this long is aborted. */
const idleMs = 60_000

/** The bytes of an upload. There is no limit on its duration, only on pauses. */
export async function* bytesOf(message: IncomingMessage, clock: Clock): AsyncGenerator<Buffer> {
  let isMoving = true
  function look() {
    if (!isMoving) message.destroy(requestTimeout())
    isMoving = false
    timer = clock.setTimer(look, idleMs)
  }
  let timer = clock.setTimer(look, idleMs)
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      yield chunk
      isMoving = true
    }
  } finally {
    timer.cancel()
  }
}
