import { Readable } from 'node:stream'
import type { Content } from './object-store.ts'

/**
 * The chunks of content to be stored. Leaving a loop over them does not destroy the source: a request could not be answered after
 * its socket was destroyed.
 */
export async function* chunksOf(content: Content): AsyncGenerator<Uint8Array> {
  const pieces = content instanceof Readable ? content.iterator({ destroyOnReturn: false }) : content
  for await (const piece of pieces as AsyncIterable<Uint8Array | string>) {
    yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
}
