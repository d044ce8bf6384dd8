/**
 * JSON of large results. One text would hold up all other requests while it is written, and may be longer than V8 can hold, so it is
 * written in pieces: each row for itself, and long texts apart from the rest.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate as othersRan } from 'node:timers/promises'
import { chunkPassed } from '../../../infra/memory/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Serialise } from './serialise.ts'

/** In characters; results below are serialised at once, in a few milliseconds at most. */
const largeLength = 256 * 1024
/** In characters; longer texts are cut out of a row and written apart. */
const longText = 16 * 1024
/** In characters: what is written between two turns of the event loop. Many answers may be written at once, so it is little. */
const pieceLength = 64 * 1024

/** What is left of a length after a value; no further values are counted when that is below zero. */
function lengthLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - 4
  let rest = left
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && rest >= 0; index += 1) rest = lengthLeft(value[index], rest - 1)
    return rest
  }
  for (const name in value) {
    rest = lengthLeft((value as Record<string, unknown>)[name], rest - name.length)
    if (rest < 0) return rest
  }
  return rest
}

/** Whether the JSON of a result may be large; takes much less time than to serialise a small one. */
export const isLarge = (result: unknown): boolean => lengthLeft(result, largeLength) < 0

/** Stands for a long text; unknown outside of the process, so no other text has it. */
const mark = randomBytes(16).toString('hex')
const marked = new RegExp(`"${mark}(\\d+)"`)

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The value with marks in place of long texts, which are added to `texts`. What has none is not copied. */
function withMarks(value: unknown, texts: string[]): unknown {
  if (typeof value === 'string') return value.length > longText ? `${mark}${texts.push(value) - 1}` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const before = texts.length
    const copy = value.map((one) => withMarks(one, texts))
    return texts.length === before ? value : copy
  }
  if (!isPlain(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const [name, one] of Object.entries(value)) {
    const other = withMarks(one, texts)
    if (other === one) continue
    copy ??= { ...value }
    copy[name] = other
  }
  return copy ?? value
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00

/** The JSON of a text in pieces, which are not cut within a character. */
function* piecesOfText(text: string): Generator<string> {
  yield '"'
  for (let start = 0; start < text.length; ) {
    const cut = Math.min(start + pieceLength, text.length)
    const end = cut < text.length && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut + 1 : cut
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}

function* piecesOfValue(value: unknown, serialise: Serialise): Generator<string> {
  const texts: string[] = []
  const parts = serialise(withMarks(value, texts)).split(marked)
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) yield part
    else yield* piecesOfText(texts[Number(part)] as string)
  }
}

function* piecesOfRows(rows: readonly unknown[], serialise: Serialise): Generator<string> {
  yield '['
  for (const [index, row] of rows.entries()) {
    if (index > 0) yield ','
    yield* piecesOfValue(row, serialise)
  }
  yield ']'
}

/** A result that is written in pieces. `rows`: a list, each of whose rows is serialised for itself. */
export type LargeJson = { rows: readonly unknown[]; serialise: Serialise } | { value: unknown; serialise: Serialise }

/** The bytes of the JSON. After each chunk other requests get their turn. */
async function* chunksOf(json: LargeJson): AsyncGenerator<Buffer> {
  const pieces = 'rows' in json ? piecesOfRows(json.rows, json.serialise) : piecesOfValue(json.value, json.serialise)
  let gathered: string[] = []
  let length = 0
  for (const piece of pieces) {
    gathered.push(piece)
    length += piece.length
    if (length < pieceLength) continue
    const chunk = Buffer.from(gathered.join(''))
    yield chunk
    chunkPassed(chunk.length)
    await othersRan()
    gathered = []
    length = 0
  }
  yield Buffer.from(gathered.join(''))
}

/** The size of the JSON in bytes and its SHA-1, which are sent before it. The JSON is not kept. */
export async function measureLargeJson(json: LargeJson): Promise<{ sizeBytes: number; sha1: string }> {
  const hash = createHash('sha1')
  let sizeBytes = 0
  for await (const chunk of chunksOf(json)) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, sha1: hash.digest('base64url') }
}

/** A stream of the JSON, which is written as fast as it is read. */
export const streamLargeJson = (json: LargeJson): Readable =>
  handled(Readable.from(chunksOf(json), { objectMode: false }))
