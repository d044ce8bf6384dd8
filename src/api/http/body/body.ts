import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../../infra/clock/index.ts'
import { badRequest, malformedBody, requestTimeout, tooLarge, unsupportedMediaType } from '../../operation/errors.ts'
import {
  emptyParameters,
  parseNestedParameters,
  type RawParameters,
} from '../../operation/parameters/nested-parameters.ts'
import type { BodyShare } from './body-shares.ts'
import { isWithinJsonBounds } from './json-bounds.ts'
import { type FileRules, largestMultipart, type MultipartLimits, readMultipart } from './multipart.ts'

export type BodyLimits = {
  bodyBytes: number
  multipart: MultipartLimits
  /** Clock for the time limit; without it there is none. */
  clock?: Clock
}

/** What a body is read for. */
export type Reading = FileRules & {
  /** What a body of an unknown sender takes of the limits. */
  share?: BodyShare | undefined
  /** The parameter that a JSON body is which is a list; without it such a body is malformed. */
  listBody?: string | undefined
}

/** Time for a body that is read into memory. */
const bodyMs = 120_000
/** Time for a body with files. */
const multipartMs = 3_600_000

/**
 * Reads a body within a time limit: a slow one holds memory and a connection. The connection is closed when the time is
 * over.
 */
async function inTime<T>(message: IncomingMessage, clock: Clock | undefined, ms: number, read: Promise<T>): Promise<T> {
  const timer = clock?.setTimer(() => message.destroy(requestTimeout()), ms)
  try {
    return await read
  } finally {
    timer?.cancel()
  }
}

/** The parameters of a body; `dispose` removes its files from the disk. */
type Body = { parameters: RawParameters; bytes?: Buffer; dispose?: () => Promise<void> }

/** Refuses a body by the size that its headers announce. @throws ApiError 413, or another refusal */
function requireAnnounced(message: IncomingMessage, maximumBytes: number, refusal = tooLarge): void {
  if (Number(message.headers['content-length'] ?? 0) > maximumBytes) throw refusal()
}

/** Reads a body into memory, up to a limit. The connection stays open at a failure, for the answer. */
async function collect(message: IncomingMessage, maximumBytes: number, share?: BodyShare): Promise<Buffer> {
  requireAnnounced(message, maximumBytes)
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maximumBytes) throw tooLarge()
    share?.take(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer, { listBody }: Reading): RawParameters {
  if (!isUtf8(bytes)) throw malformedBody()
  if (!isWithinJsonBounds(bytes)) throw badRequest('invalid parameters')
  const text = bytes.toString('utf8')
  if (text.trim() === '') return emptyParameters()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformedBody()
  }
  // Clients that have no options to send may send the null that they were given.
  if (value === null) return emptyParameters()
  if (Array.isArray(value) && listBody !== undefined) return Object.assign(emptyParameters(), { [listBody]: value })
  if (typeof value !== 'object' || Array.isArray(value)) throw malformedBody()
  return value as RawParameters
}

/** Forms may have unescaped bytes. Escaped, those that are not UTF-8 are an error of their parameter. */
function formText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
}

/** Whether a request has a body, by its headers. */
export function hasBody(message: IncomingMessage): boolean {
  return message.headers['transfer-encoding'] !== undefined || Number(message.headers['content-length'] ?? 0) > 0
}

/** Whether a body is a form of several parts, by its headers. */
export function isMultipart(message: IncomingMessage): boolean {
  return /^\s*multipart\//i.test(message.headers['content-type'] ?? '')
}

/** Step 3, as far as the headers tell. @throws ApiError 413 */
export function requireSize(message: IncomingMessage, { bodyBytes, multipart }: BodyLimits): void {
  if (isMultipart(message)) requireAnnounced(message, largestMultipart(multipart), multipart.tooLarge)
  else requireAnnounced(message, bodyBytes)
}

/**
 * Step 3: reads the parameters of a body, also for GET and DELETE (contract 00, "Parameters").
 * @throws ApiError 413, 415 or 400; 408 when the body is not received in time; what the rules for files throw
 */
export async function readBody(message: IncomingMessage, limits: BodyLimits, reading: Reading): Promise<Body> {
  if (!hasBody(message)) return { parameters: emptyParameters() }
  const longestMs = isMultipart(message) ? multipartMs : bodyMs
  return inTime(message, limits.clock, longestMs, parametersOf(message, limits, reading))
}

/**
 * Step 3, for operations that take bytes: reads the body into memory.
 * @throws ApiError 413; 408 when the body is not received in time
 */
export async function readBytes(message: IncomingMessage, limits: BodyLimits, { share }: Reading): Promise<Body> {
  const bytes = await inTime(message, limits.clock, bodyMs, collect(message, limits.bodyBytes, share))
  return { parameters: emptyParameters(), bytes }
}

/**
 * Reads a body of any type into memory, for services.
 * @throws ApiError 413 beyond the limit; 408 when the body is not received in time
 */
export function readWholeBody(message: IncomingMessage, maximumBytes: number, clock: Clock): Promise<Buffer> {
  return inTime(message, clock, bodyMs, collect(message, maximumBytes))
}

async function parametersOf(message: IncomingMessage, limits: BodyLimits, reading: Reading): Promise<Body> {
  const { share } = reading
  const declared = message.headers['content-type'] ?? ''
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json') {
    return { parameters: parseJson(await collect(message, limits.bodyBytes, share), reading) }
  }
  if (type === 'application/x-www-form-urlencoded') {
    return { parameters: parseNestedParameters(formText(await collect(message, limits.bodyBytes, share))) }
  }
  if (type === 'multipart/form-data') {
    const { multipart, clock } = limits
    return readMultipart(message, multipart, { ...reading, ...(clock ? { clock } : {}) })
  }
  // A chunked body may be empty.
  if (declared === '' && message.headers['content-length'] === undefined) {
    if ((await collect(message, limits.bodyBytes, share)).length === 0) return { parameters: emptyParameters() }
  }
  throw unsupportedMediaType(declared)
}
