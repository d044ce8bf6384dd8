import type { Readable } from 'node:stream'
import { ApiError, type Raw } from '../../../../api/index.ts'
import { jobsTrace } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'

/** A log is shown in parts of so many bytes. A part has the lines that begin in its bytes. */
export const partBytes = 500_000
/** The end of a line is shown so far behind the end of its part. */
const longestRest = 64_000

/** Some lines of a log. */
export type LogPart = {
  /** The number of the part, from 1, and how many there are. */
  number: number
  count: number
  /** Bytes of the whole log. */
  sizeBytes: number
  text: string
  /** Where the next line begins that is not shown. */
  endByte: number
}

export type LogCall = { id: number; job_id: number }

/** Opens bytes of the log; null where the log has none of them. */
async function openBytes(visit: Visit, call: LogCall, range: string): Promise<Raw | null> {
  try {
    return await visit.read(jobsTrace, call, { range })
  } catch (error) {
    if (error instanceof ApiError && error.status === 416) return null
    throw error
  }
}

/** The stream of an answer. */
export async function streamOf({ body }: Raw): Promise<Readable> {
  return (typeof body === 'function' ? await body() : body) as Readable
}

async function bytesOf(raw: Raw): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await streamOf(raw)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const newline = 10

/** The first and the last byte of the lines of a part, within the bytes that were read. */
function linesIn(
  bytes: Buffer,
  { isFirst, length }: { isFirst: boolean; length: number },
): [start: number, end: number] {
  const begins = isFirst ? 0 : bytes.subarray(0, length).indexOf(newline) + 1
  // A part without a line break goes on with the line of the part before it.
  const start = isFirst || begins > 0 ? begins : 1
  if (bytes.length <= length) return [start, bytes.length]
  const end = bytes.indexOf(newline, length - 1) + 1
  return [start, Math.max(start, end > 0 ? end : bytes.length)]
}

/**
 * Reads a part of a log; the last one without a number.
 * @param isGrowing whether the log is still written: an incomplete last line is left out
 */
export async function readPart(
  visit: Visit,
  call: LogCall,
  { wanted, isGrowing }: { wanted: number | null; isGrowing: boolean },
): Promise<LogPart> {
  const last = await openBytes(visit, call, 'bytes=-1')
  const sizeBytes = Number(/\/(\d+)$/.exec(last?.headers['Content-Range'] ?? '')?.[1] ?? 0)
  const count = Math.max(1, Math.ceil(sizeBytes / partBytes))
  const number = Math.min(wanted ?? count, count)
  // The byte before the part tells whether a line begins with it.
  const before = number === 1 ? 0 : 1
  const firstByte = (number - 1) * partBytes - before
  const raw = await openBytes(visit, call, `bytes=${firstByte}-${number * partBytes + longestRest - 1}`)
  const bytes = raw ? await bytesOf(raw) : Buffer.alloc(0)
  const [start, whole] = linesIn(bytes, { isFirst: number === 1, length: partBytes + before })
  const isOpen = isGrowing && number === count
  const end = isOpen ? Math.max(start, bytes.lastIndexOf(newline, whole - 1) + 1) : whole
  return { number, count, sizeBytes, text: bytes.toString('utf8', start, end), endByte: firstByte + end }
}

/** Bytes of the log from one on, as many as a part has. What follows a running job reads them. */
export async function rawFrom(visit: Visit, call: LogCall, firstByte: number): Promise<Raw> {
  const opened = await openBytes(visit, call, `bytes=${firstByte}-${firstByte + partBytes - 1}`)
  return opened ?? { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: '' }
}
