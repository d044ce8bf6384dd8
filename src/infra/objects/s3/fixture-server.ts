import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * The S3 protocol over memory, as far as the object store uses it, with the rules of Amazon's service that are easily broken: parts
 * have a minimal size, objects appear when they are complete, lists are sorted, paginated and consistent, and copies are limited.
 * It knows access keys, but does not verify signatures.
 */

interface Stored {
  body: Buffer
  etag: string
  modifiedAt: Date
}

interface Pending {
  key: string
  startedAt: Date
  parts: Map<number, Stored>
}

/** The name of an operation in the documentation of S3. */
type Operation =
  | 'PutObject'
  | 'GetObject'
  | 'HeadObject'
  | 'DeleteObject'
  | 'CopyObject'
  | 'ListObjectsV2'
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploads'
  | 'ListParts'

/** A received request. */
export interface Received {
  operation: Operation
  key: string
}

/** What a test makes of a request: an error of the service, a connection that breaks before or after the work, or nothing. */
type Fault = { status: number; code: string } | 'break' | 'break after the work' | 'break in the body' | undefined

/** A running server; tests may change the functions and sizes. */
export interface S3Server extends AsyncDisposable {
  url: string
  bucket: string
  objects: Map<string, Stored>
  uploads: Map<string, Pending>
  requests: Received[]
  fault: (request: Received) => Fault | Promise<Fault>
  limits: { pageKeys: number; minimalPartBytes: number; copyBytes: number }
}

export const ACCESS_KEY = { accessKeyId: 'fixture-key', secretAccessKey: 'fixture-secret' }

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** Starts a server with one empty bucket on a free port. */
export async function startS3Server(): Promise<S3Server> {
  const server = createServer((request, response) => void handle(state, request, response))
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const state: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'fixture',
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    fault: () => undefined,
    limits: { pageKeys: 1000, minimalPartBytes: 5 * 1024 ** 2, copyBytes: 5 * 1024 ** 3 },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}

async function handle(state: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await bodyOf(request)
    const url = new URL(request.url ?? '/', state.url)
    const [bucket, ...segments] = decodeURIComponent(url.pathname).slice(1).split('/')
    const call: Call = { request, response, query: url.searchParams, key: segments.join('/'), body }
    requireAccess(call)
    if (bucket !== state.bucket) throw new Refusal(404, 'NoSuchBucket')
    const received = { operation: operationOf(call), key: call.key }
    state.requests.push(received)
    const fault = await state.fault(received)
    if (fault === 'break') return void request.socket.destroy()
    if (typeof fault === 'object') throw new Refusal(fault.status, fault.code)
    if (fault === 'break in the body') call.breaksOff = true
    const answer = operations[received.operation](state, call)
    if (fault === 'break after the work') return void request.socket.destroy()
    answer()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    send(response, error.status, `<Error><Code>${error.code}</Code><Message>${error.code}</Message></Error>`)
  }
}

interface Call {
  request: IncomingMessage
  response: ServerResponse
  query: URLSearchParams
  key: string
  body: Buffer
  breaksOff?: boolean
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const digest = request.headers['x-amz-content-sha256']
  const isWrong = /^[0-9a-f]{64}$/.test(String(digest)) && digest !== sha256(body)
  if (isWrong) throw new Refusal(400, 'XAmzContentSHA256Mismatch')
  return body
}

function requireAccess({ request, query }: Call): void {
  const [, inHeader] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '') ?? []
  const id = inHeader ?? query.get('X-Amz-Credential')?.split('/')[0]
  if (id === undefined) throw new Refusal(403, 'AccessDenied')
  if (id !== ACCESS_KEY.accessKeyId) throw new Refusal(403, 'InvalidAccessKeyId')
}

function operationOf({ request: { method, headers }, query, key }: Call): Operation {
  const isCopy = headers['x-amz-copy-source'] !== undefined
  if (key === '') return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2'
  if (query.has('uploads')) return 'CreateMultipartUpload'
  if (query.has('uploadId')) {
    if (method === 'PUT') return isCopy ? 'UploadPartCopy' : 'UploadPart'
    if (method === 'POST') return 'CompleteMultipartUpload'
    return method === 'DELETE' ? 'AbortMultipartUpload' : 'ListParts'
  }
  if (method === 'PUT') return isCopy ? 'CopyObject' : 'PutObject'
  if (method === 'DELETE') return 'DeleteObject'
  return method === 'HEAD' ? 'HeadObject' : 'GetObject'
}

type Answer = () => void

/** Each does the work of an operation, and returns a function that answers. */
const operations: Record<Operation, (state: S3Server, call: Call) => Answer> = {
  PutObject(state, { key, body, response }) {
    const stored = storedOf(body)
    state.objects.set(key, stored)
    return () => send(response, 200, '', { ETag: stored.etag })
  },
  GetObject: read,
  HeadObject: read,
  DeleteObject(state, { key, response }) {
    state.objects.delete(key)
    return () => send(response, 204, '')
  },
  CopyObject(state, call) {
    const { key, response } = call
    const { name, source } = sourceOf(state, call)
    if (name === key) throw new Refusal(400, 'InvalidRequest')
    if (source.body.length > state.limits.copyBytes) throw new Refusal(400, 'InvalidRequest')
    const stored = storedOf(source.body)
    state.objects.set(key, stored)
    return () => send(response, 200, `<CopyObjectResult><ETag>${stored.etag}</ETag></CopyObjectResult>`)
  },
  ListObjectsV2(state, { query, response }) {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const limit = Math.min(Number(query.get('max-keys') ?? 1000), state.limits.pageKeys)
    const keys = [...state.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, limit)
    const contents = page.map((key) => {
      const { body, etag, modifiedAt } = state.objects.get(key)!
      const time = modifiedAt.toISOString()
      return `<Contents><Key>${key}</Key><Size>${body.length}</Size><ETag>${etag}</ETag><LastModified>${time}</LastModified></Contents>`
    })
    const next = `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
    const more =
      keys.length > page.length ? `<IsTruncated>true</IsTruncated>${next}` : '<IsTruncated>false</IsTruncated>'
    return () => send(response, 200, `<ListBucketResult>${more}${contents.join('')}</ListBucketResult>`)
  },
  CreateMultipartUpload(state, { key, response }) {
    const id = randomUUID()
    state.uploads.set(id, { key, startedAt: new Date(), parts: new Map() })
    const result = `<UploadId>${id}</UploadId>`
    return () => send(response, 200, `<InitiateMultipartUploadResult>${result}</InitiateMultipartUploadResult>`)
  },
  UploadPart(state, call) {
    const part = storedOf(call.body)
    pendingOf(state, call).parts.set(partNumberOf(call), part)
    return () => send(call.response, 200, '', { ETag: part.etag })
  },
  UploadPartCopy(state, call) {
    const { source } = sourceOf(state, call)
    const header = call.request.headers['x-amz-copy-source-range']
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(header)) ?? []
    const body = first === undefined ? source.body : source.body.subarray(Number(first), Number(last) + 1)
    if (body.length > state.limits.copyBytes) throw new Refusal(400, 'InvalidRequest')
    const part = storedOf(body)
    pendingOf(state, call).parts.set(partNumberOf(call), part)
    return () => send(call.response, 200, `<CopyPartResult><ETag>${part.etag}</ETag></CopyPartResult>`)
  },
  CompleteMultipartUpload(state, call) {
    const { parts, key } = pendingOf(state, call)
    const named = [...call.body.toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([text]) => {
      const number = Number(/<PartNumber>(\d+)</.exec(text)?.[1])
      const part = parts.get(number)
      const etag = /<ETag>(.*?)<\/ETag>/.exec(text)?.[1]?.replaceAll('&quot;', '"')
      if (!part || etag !== part.etag) throw new Refusal(400, 'InvalidPart')
      return { number, part }
    })
    if (named.length === 0) throw new Refusal(400, 'MalformedXML')
    const isSorted = named.every(({ number }, index) => index === 0 || number > named[index - 1]!.number)
    if (!isSorted) throw new Refusal(400, 'InvalidPartOrder')
    const isTooSmall = named.slice(0, -1).some(({ part }) => part.body.length < state.limits.minimalPartBytes)
    if (isTooSmall) throw new Refusal(400, 'EntityTooSmall')
    const stored = storedOf(Buffer.concat(named.map(({ part }) => part.body)), `-${named.length}`)
    state.objects.set(key, stored)
    state.uploads.delete(call.query.get('uploadId')!)
    return () =>
      send(
        call.response,
        200,
        `<CompleteMultipartUploadResult><ETag>${stored.etag}</ETag></CompleteMultipartUploadResult>`,
      )
  },
  AbortMultipartUpload(state, call) {
    pendingOf(state, call)
    state.uploads.delete(call.query.get('uploadId')!)
    return () => send(call.response, 204, '')
  },
  ListMultipartUploads(state, { query, response }) {
    const prefix = query.get('prefix') ?? ''
    const entries = [...state.uploads].filter(([, { key }]) => key.startsWith(prefix))
    const texts = entries.map(
      ([id, { key, startedAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    )
    return () => send(response, 200, `<ListMultipartUploadsResult>${texts.join('')}</ListMultipartUploadsResult>`)
  },
  ListParts(state, call) {
    const texts = [...pendingOf(state, call).parts].map(
      ([number, { modifiedAt }]) =>
        `<Part><PartNumber>${number}</PartNumber><LastModified>${modifiedAt.toISOString()}</LastModified></Part>`,
    )
    return () => send(call.response, 200, `<ListPartsResult>${texts.join('')}</ListPartsResult>`)
  },
}

function read(state: S3Server, { request, response, key, query, breaksOff }: Call): Answer {
  const stored = found(state, key)
  const { body, etag, modifiedAt } = stored
  const condition = request.headers['if-match']
  if (condition !== undefined && condition !== etag) throw new Refusal(412, 'PreconditionFailed')
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const start = Number(first ?? 0)
  if (first !== undefined && start >= body.length) throw new Refusal(416, 'InvalidRange')
  const end = Math.min(last ? Number(last) + 1 : body.length, body.length)
  const part = body.subarray(start, end)
  const disposition = query.get('response-content-disposition')
  response.writeHead(first === undefined ? 200 : 206, {
    'Content-Length': part.length,
    'Last-Modified': modifiedAt.toUTCString(),
    ETag: etag,
    ...(first === undefined ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${body.length}` }),
    ...(disposition === null ? {} : { 'Content-Disposition': disposition }),
  })
  return () => {
    if (request.method === 'HEAD') return void response.end()
    if (!breaksOff) return void response.end(part)
    response.write(part.subarray(0, Math.ceil(part.length / 2)), () => request.socket.destroy())
  }
}

function found(state: S3Server, key: string): Stored {
  const stored = state.objects.get(key)
  if (!stored) throw new Refusal(404, 'NoSuchKey')
  return stored
}

function sourceOf(state: S3Server, { request }: Call): { name: string; source: Stored } {
  const [, name = ''] = decodeURIComponent(String(request.headers['x-amz-copy-source'])).split(`${state.bucket}/`)
  return { name, source: found(state, name) }
}

function pendingOf(state: S3Server, { query, key }: Call): Pending {
  const pending = state.uploads.get(query.get('uploadId') ?? '')
  if (pending?.key !== key) throw new Refusal(404, 'NoSuchUpload')
  return pending
}

function partNumberOf({ query }: Call): number {
  const number = Number(query.get('partNumber'))
  if (!(number >= 1 && number <= 10_000)) throw new Refusal(400, 'InvalidArgument')
  return number
}

function storedOf(body: Buffer, suffix = ''): Stored {
  // To the second, as in HTTP.
  const modifiedAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  return { body, etag: `"${createHash('md5').update(body).digest('hex')}${suffix}"`, modifiedAt }
}

function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

function send(response: ServerResponse, status: number, xml: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/xml', ...headers })
  response.end(response.req.method === 'HEAD' || status === 204 ? undefined : xml)
}
