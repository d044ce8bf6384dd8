import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { badRequest, malformedBody, tooLarge, unsupportedMediaType } from './errors.ts'
import { isWithinJsonBounds } from './json-bounds.ts'
import { type MultipartLimits, readMultipart } from './multipart.ts'
import { emptyParameters, parseNestedParameters, type RawParameters } from './nested-parameters.ts'

export type BodyLimits = { bodyBytes: number; multipart: MultipartLimits }

/** The parameters of a body; `dispose` removes what it left on disk. */
export type Body = { parameters: RawParameters; dispose?: () => Promise<void> }

/** Reads a body into memory, up to a limit. */
async function collect(message: IncomingMessage, maximumBytes: number): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > maximumBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maximumBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer): RawParameters {
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformedBody()
  return value as RawParameters
}

/** A form may hold bytes unescaped; escaped, those that are no UTF-8 are refused by the parameter that they are for. */
function formText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
}

function hasBody(message: IncomingMessage): boolean {
  return message.headers['transfer-encoding'] !== undefined || Number(message.headers['content-length'] ?? 0) > 0
}

/**
 * Step 3: reads the parameters that a body holds; bodies of GET and DELETE count as well (contract 00, "Parameters").
 * @throws ApiError 413, 415 or 400
 */
export async function readBody(message: IncomingMessage, limits: BodyLimits): Promise<Body> {
  const declared = message.headers['content-type'] ?? ''
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!hasBody(message)) return { parameters: emptyParameters() }
  if (type === 'application/json') return { parameters: parseJson(await collect(message, limits.bodyBytes)) }
  if (type === 'application/x-www-form-urlencoded') {
    return { parameters: parseNestedParameters(formText(await collect(message, limits.bodyBytes))) }
  }
  if (type === 'multipart/form-data') return readMultipart(message, limits.multipart)
  // A body in chunks may turn out to be none.
  if (declared === '' && message.headers['content-length'] === undefined) {
    if ((await collect(message, limits.bodyBytes)).length === 0) return { parameters: emptyParameters() }
  }
  throw unsupportedMediaType(declared)
}
