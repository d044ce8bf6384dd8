/** Streams whose errors do not end the process, and content of limited size. */
import type { EventEmitter } from 'node:events'
import { pipeline, Readable, type Transform } from 'node:stream'

export { ForwardReader } from './forward-reader.ts'

function ignore(): void {}

/**
 * Gives a stream a listener for errors, so that one that fails before anything reads it, or after, does not end the process.
 * Who reads or pipes the stream gets the error as before. Each stream of this program is created in a call of it, which the
 * architecture test holds.
 */
export function handled<Stream extends EventEmitter>(stream: Stream): Stream {
  stream.on('error', ignore)
  return stream
}

/**
 * Passes a stream through another one. An error of the source is one of the result, and destroying the result destroys the
 * source.
 * @returns `transform`
 */
export function through<Changing extends Transform>(source: Readable, transform: Changing): Changing {
  handled(source)
  handled(transform)
  pipeline(source, transform, ignore)
  return transform
}

/** The body of an answer of `fetch` as a stream of Node. Without a body it is empty. */
export const bodyOf = ({ body }: Pick<Response, 'body'>): Readable =>
  handled(body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([]))

/**
 * Passes content on, up to a size.
 * @param maximumBytes 0: no limit
 * @param refusal the error of content that is larger
 */
export async function* limited<Chunk extends Uint8Array>(
  content: AsyncIterable<Chunk>,
  maximumBytes: number,
  refusal: () => Error,
): AsyncGenerator<Chunk> {
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.length
    if (maximumBytes > 0 && sizeBytes > maximumBytes) throw refusal()
    yield chunk
  }
}
