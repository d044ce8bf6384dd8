import { Readable } from 'node:stream'
import { setImmediate as othersRan } from 'node:timers/promises'
import { handled } from '../../../infra/streams/index.ts'

/** Rows that one query reads of what users can make large. */
export const rowsAtOnce = 500

/**
 * Yields rows in portions, so that only one portion is in memory.
 * @param read lists at most `rowsAtOnce` rows behind a row, in a total order
 */
export async function* portionsBehind<Row>(read: (last: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last)
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) return
    last = rows.at(-1)
  }
}

/** In characters: what is written between two turns of the event loop. */
const pieceLength = 64 * 1024

/** Cuts texts, each of which is made when it is asked for, into portions of about a piece. */
export function* inPieces(texts: Iterable<string>): Generator<string[]> {
  let gathered: string[] = []
  let length = 0
  for (const text of texts) {
    gathered.push(text)
    length += text.length
    if (length < pieceLength) continue
    yield gathered
    gathered = []
    length = 0
  }
  yield gathered
}

/** The elements of an array or object of JSON, given in portions, with commas between them. */
export async function* separated(portions: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let separator = ''
  for await (const texts of portions) {
    if (texts.length === 0) continue
    yield separator + texts.join(',')
    separator = ','
  }
}

/** Pieces of text as bytes; other requests run between them. */
async function* paced(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield Buffer.from(piece)
    await othersRan()
  }
}

/** The body of an answer that is written as fast as it is read. */
export const streamOfPieces = (pieces: AsyncIterable<string>): Readable => handled(Readable.from(paced(pieces)))
