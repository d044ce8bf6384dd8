import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../operation/operation.ts'
import { type Page, type PageRequest, pageHeaders } from '../../operation/pages/pagination.ts'
import { bytesOf, type Raw, type ResultSchema, type StreamedJson } from '../../operation/results.ts'
import { etagOfSha1, hasCurrent, weakEtag } from './etag.ts'
import { isLarge, type LargeJson, measureLargeJson, streamLargeJson } from './large-json.ts'
import { rowSchemaOf, serialiserOf } from './serialise.ts'

/** What an operation decides about its answer besides the body. */
export type Answer = { status: number; headers: Record<string, string> }

/** What `run` returned, with the page that was requested. */
export type Outcome = { result: unknown; page: PageRequest }

/** What sending needs of the request and of the API. */
type Sending = {
  request: FastifyRequest
  reply: FastifyReply
  externalUrl: string
  /** The result schemas of all operations: a schema may refer to another one by its title. */
  results: readonly ResultSchema[]
}

function isCacheable({ status }: Answer, { method }: FastifyRequest): boolean {
  return status === 200 && (method === 'GET' || method === 'HEAD')
}

const revalidate = 'max-age=0, private, must-revalidate'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
const ascii = /^[\u0000-\u007f]*$/

/** Node encodes headers like a text body that follows them, as UTF-8; before bytes it writes them byte by byte. */
function hasOnlyAscii(headers: Record<string, string>): boolean {
  for (const name in headers) if (!ascii.test(headers[name] as string)) return false
  return true
}

/**
 * Sets the headers of JSON.
 * @param tagOf gives the tag of the body; called for a read only
 * @returns whether the body is to be sent: the caller does not have it already
 */
function sendsJson(tagOf: () => string, answer: Answer, { request, reply }: Sending): boolean {
  reply.headers(answer.headers)
  if (isCacheable(answer, request)) {
    const etag = tagOf()
    reply.headers({ 'Cache-Control': revalidate, ETag: etag })
    if (hasCurrent(request, etag)) {
      reply.code(304).send()
      return false
    }
  } else reply.header('Cache-Control', answer.headers['Cache-Control'] ?? 'no-cache')
  reply.code(answer.status).header('Content-Type', 'application/json')
  return true
}

function sendJson(body: string, answer: Answer, sending: Sending): void {
  if (!sendsJson(() => weakEtag(body), answer, sending)) return
  sending.reply.send(hasOnlyAscii(answer.headers) ? body : Buffer.from(body))
}

/** The same for a result that is too large for one text: its JSON is written twice, to know its tag and size, and to send it. */
async function sendLargeJson(json: LargeJson, answer: Answer, sending: Sending): Promise<void> {
  const { sizeBytes, sha1 } = await measureLargeJson(json)
  if (!sendsJson(() => etagOfSha1(sha1), answer, sending)) return
  sending.reply.header('Content-Length', String(sizeBytes))
  sending.reply.send(sending.request.method === 'HEAD' ? undefined : streamLargeJson(json))
}

/** Sends a body that the operation has written itself; opens it only when it is really sent. */
async function sendBytes({ headers, body }: Raw, answer: Answer, { request, reply }: Sending): Promise<void> {
  const cacheable = isCacheable(answer, request)
  const isCurrent = cacheable && headers.ETag !== undefined && hasCurrent(request, headers.ETag)
  const needsBody = !isCurrent && request.method !== 'HEAD'
  // Opened before any header is set, so that a failure is answered as an error.
  const content = needsBody && typeof body === 'function' ? await body() : body
  const { 'Content-Length': _length, 'Content-Type': _type, ...withoutBody } = headers
  reply.headers({
    'Cache-Control': cacheable ? revalidate : 'no-cache',
    ...answer.headers,
    ...(isCurrent ? withoutBody : headers),
  })
  reply.code(isCurrent ? 304 : answer.status)
  if (needsBody || (!isCurrent && (typeof body === 'string' || Buffer.isBuffer(body)))) {
    reply.send(content)
    return
  }
  if (typeof body === 'object' && 'destroy' in body) (body as Readable).destroy()
  reply.send()
}

/** Steps 15 and 16: serialises what `run` returned by the schema of the operation, and sends it with its headers. */
export function sendResult(
  operation: Operation,
  { result, page }: Outcome,
  answer: Answer,
  sending: Sending,
): Promise<void> | void {
  const schema = operation.result[1] as ResultSchema
  if ('nothing' in schema || answer.status === 204 || answer.status === 304) {
    sending.reply
      .headers({ 'Cache-Control': 'no-cache', ...answer.headers })
      .code(answer.status)
      .send()
    return
  }
  const headersOf = (found: Omit<Page<unknown>, 'items'>) =>
    pageHeaders(found, page, sending.externalUrl, sending.request.url)
  const bytes = bytesOf(schema, result)
  if (bytes) {
    const { page: streamed } = result as Partial<StreamedJson>
    if (streamed) Object.assign(answer.headers, headersOf(streamed))
    return sendBytes(bytes, answer, sending)
  }
  const isPage = 'pageOf' in schema
  if (isPage) Object.assign(answer.headers, headersOf(result as Page<unknown>))
  const value = isPage ? (result as Page<unknown>).items : result
  if (isLarge(value)) return sendLargeJson(largeJsonOf(schema, value, sending), answer, sending)
  sendJson(serialiserOf(schema, sending.results)(value), answer, sending)
}

function largeJsonOf(schema: ResultSchema, value: unknown, { results }: Sending): LargeJson {
  const rowSchema = rowSchemaOf(schema)
  if (rowSchema && Array.isArray(value)) return { rows: value, serialise: serialiserOf(rowSchema, results) }
  return { value, serialise: serialiserOf(schema, results) }
}
