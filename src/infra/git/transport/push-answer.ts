/** The answer of a push: passes git's pkt-lines through, and puts sentences for the pusher between them. */
import { Transform } from 'node:stream'
import { handled } from '../../streams/index.ts'

/** Of the sideband: what git's client shows as `remote: …`. */
const PROGRESS = 2
const LENGTH_BYTES = 4

export type PushAnswer = Transform & {
  /** Shows a sentence to the pusher, before the next pkt-line. Only for a client that has asked for a sideband. */
  say(sentence: string): void
}

/**
 * Creates the stream.
 * @param onProgress called with each text for the pusher that passes; what it says comes after it
 */
export function pushAnswer(onProgress: (text: string) => void): PushAnswer {
  let rest: Buffer = Buffer.alloc(0)
  const pending: Buffer[] = []
  const answer = handled(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        const lines: Buffer[] = []
        for (let line = firstLine(rest); line !== null; line = firstLine(rest)) {
          lines.push(...pending.splice(0), line)
          rest = rest.subarray(line.length)
          if (line[LENGTH_BYTES] === PROGRESS) onProgress(line.toString('utf8', LENGTH_BYTES + 1))
        }
        done(null, Buffer.concat(lines))
      },
      flush: (done) => done(null, rest),
    }),
  )
  const say = (sentence: string) => void pending.push(progress(sentence))
  return Object.assign(answer, { say })
}

/** The first pkt-line, when it has come whole. What is no pkt-line passes as it is. */
function firstLine(bytes: Buffer): Buffer | null {
  if (bytes.length < LENGTH_BYTES) return null
  const length = Number.parseInt(bytes.toString('latin1', 0, LENGTH_BYTES), 16)
  if (Number.isNaN(length)) return bytes
  const end = Math.max(length, LENGTH_BYTES)
  return bytes.length < end ? null : bytes.subarray(0, end)
}

function progress(sentence: string): Buffer {
  const text = Buffer.from(`\u0002${sentence}\n`)
  return Buffer.concat([Buffer.from((text.length + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, '0')), text])
}
