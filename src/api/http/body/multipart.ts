import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type busboy from 'busboy'
import type { Clock } from '../../../infra/clock/index.ts'
import { namesIn, removeOlder } from '../../../infra/files/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { type ApiError, badRequest, malformedBody, tooLarge } from '../../operation/errors.ts'
import { addParameter, emptyParameters, type RawParameters } from '../../operation/parameters/nested-parameters.ts'
import { type UploadedFile, uploadedFile } from '../../operation/parameters/uploaded-file.ts'
import { answerToOutage } from '../outages.ts'
import type { BodyShare } from './body-shares.ts'
import { bytesOf } from './streamed-body.ts'

/** The parameters of a multipart body, files included; `dispose` removes the files from the disk. */
type MultipartBody = { parameters: RawParameters; dispose(): Promise<void> }

/** `fieldBytes` is the limit of all fields, which are read into memory; a body has at most one file and the fields. */
export type MultipartLimits = {
  fileBytes: number
  fieldBytes: number
  folder: string
  /** The error for a file or a body above its limit, where it is not 413. */
  tooLarge?: () => ApiError
}

/** What decides about the files of a body. */
export type FileRules = {
  /** Whether the operation takes a file of this name. Others are read and discarded. Default: all are taken. */
  takesFile?(name: string): boolean
  /** Asked once, before anything of a file is stored. @param fields those before the first file @throws ApiError */
  admit?(fields: RawParameters): Promise<void>
}

type Reading = FileRules & { clock?: Clock; share?: BodyShare | undefined }

/** What boundaries and part headers may add to a body. */
const framingBytes = 1024 * 1024

/** The largest body within the limits, in bytes. */
export function largestMultipart({ fileBytes, fieldBytes }: MultipartLimits): number {
  return fileBytes + fieldBytes + framingBytes
}

/** Passes a body on, up to its limit. */
function bounded(
  message: IncomingMessage,
  limits: MultipartLimits,
  { clock, share }: Reading,
  givenUp: Promise<never>,
) {
  const maximumBytes = largestMultipart(limits)
  return async function* (): AsyncGenerator<Buffer> {
    let sizeBytes = 0
    for await (const chunk of bytesOf(message, clock, givenUp)) {
      sizeBytes += chunk.length
      if (sizeBytes > maximumBytes) throw (limits.tooLarge ?? tooLarge)()
      share?.take(chunk.length)
      yield chunk
    }
  }
}

type Received = { name: string; stream: NodeJS.ReadableStream & { truncated?: boolean }; info: busboy.FileInfo }

const folderPrefix = 'upload-'

/** Longer than any request may take. */
const abandonedAfterMs = 24 * 3600 * 1000

/** The folders of requests that this process serves: their age says nothing when the clock leaps meanwhile. */
const underWay = new Set<string>()

/** Removes the files of requests whose process was killed. @param folder as in the limits */
export async function removeAbandonedFiles(folder: string, clock: Clock): Promise<void> {
  const names = (await namesIn(folder)).filter((name) => name.startsWith(folderPrefix))
  for (const path of names.map((name) => join(folder, name)))
    if (!underWay.has(path)) await removeOlder(path, clock.now().getTime() - abandonedAfterMs)
}

/** The last component of a file name; clients may send a path of either kind. */
const lastComponent = (name: string) => name.replaceAll('\\', '/').split('/').at(-1) ?? ''

/**
 * Stores a file once `admitted` is over.
 * @param place.path null to discard the file, of which only the size remains
 * @param place.refusal the error for a file above its limit
 */
async function receiveFile(
  { stream, info }: Received,
  { path, refusal }: { path: string | null; refusal: () => ApiError },
  admitted: Promise<void>,
): Promise<UploadedFile> {
  // The parser ends the stream with an error when it is given up, also before anything reads it.
  stream.on('error', () => {})
  await admitted
  let sizeBytes = 0
  if (path === null) for await (const chunk of stream as AsyncIterable<Buffer>) sizeBytes += chunk.length
  else {
    await pipeline(stream, handled(createWriteStream(path)))
    sizeBytes = (await stat(path)).size
  }
  if (stream.truncated) throw refusal()
  const filename = lastComponent(info.filename ?? '')
  return uploadedFile({ filename, contentType: info.mimeType, sizeBytes, path: path ?? '' })
}

/** A browser sends a part like this for a form without a file. */
const isNoFile = ({ filename, sizeBytes }: UploadedFile) => filename === '' && sizeBytes === 0

/** A part of a body: its name, and the text of a field or the file. */
type Part = [name: string, value: string | Promise<UploadedFile>]

/** The parameters of parts, once their files are received. */
async function parametersOf(parts: readonly Part[]): Promise<RawParameters> {
  const parameters = emptyParameters()
  for (const [name, value] of parts) {
    const file = typeof value === 'string' ? null : await value
    addParameter(parameters, name, file === null ? value : isNoFile(file) ? '' : file)
  }
  return parameters
}

/** Loaded with the first multipart body, which most processes never receive. */
const load = () => createRequire(import.meta.url)('busboy') as typeof busboy

/** Reads the body with `busboy`, with one promise for each file. */
async function receive(
  message: IncomingMessage,
  limits: MultipartLimits,
  reading: Reading,
  folder: string,
): Promise<RawParameters> {
  const { takesFile = () => true, admit = async () => {} } = reading
  const parser = load()({
    headers: message.headers,
    limits: {
      // The parser calls a file truncated that has exactly its limit.
      fileSize: limits.fileBytes + 1,
      fieldSize: limits.fieldBytes,
      files: 20,
      fields: 4_096,
      fieldNameSize: 1_024,
    },
    defParamCharset: 'utf8',
    // Without it the names `.` and `..` would be empty.
    preservePath: true,
  })
  /** In the order of the body: where a name is given twice, the last one counts. */
  const parts: Part[] = []
  const files: Promise<UploadedFile>[] = []
  let admitted: Promise<void> | undefined
  let fieldBytes = 0
  parser.on('field', (name, value, info) => {
    fieldBytes += Buffer.byteLength(value)
    if (info.valueTruncated || info.nameTruncated || fieldBytes > limits.fieldBytes) parser.destroy(tooLarge())
    else parts.push([name, value])
  })
  parser.on('file', (name, stream, info) => {
    admitted ??= (async () => admit(await parametersOf([...parts])))()
    const path = takesFile(name) ? join(folder, String(files.length)) : null
    const stored = receiveFile({ name, stream, info }, { path, refusal: limits.tooLarge ?? tooLarge }, admitted)
    // The parser would wait for a stream that nothing reads. The promise itself is awaited below, possibly long after it failed.
    stored.catch((error) => {
      if (!stream.truncated) parser.destroy(error)
    })
    files.push(stored)
    parts.push([name, stored])
  })
  for (const limit of ['filesLimit', 'partsLimit']) parser.on(limit, () => parser.destroy(tooLarge()))
  parser.on('fieldsLimit', () => parser.destroy(badRequest('invalid parameters')))
  const givenUp = new Promise<never>((_resolve, reject) => parser.once('error', reject))
  givenUp.catch(() => {})
  try {
    await pipeline(bounded(message, limits, reading, givenUp), parser)
  } catch (error) {
    // Files that were started end before their folder is removed.
    await Promise.allSettled(files)
    throw error
  }
  return parametersOf(parts)
}

/** Errors of the disk say so; all others are of the body. */
function failureOf(error: Error & { status?: number; syscall?: string }): Error {
  return answerToOutage(error) ?? (error.status || error.syscall ? error : malformedBody())
}

/**
 * Reads a multipart body; files are streamed to the disk once they are admitted.
 * @throws ApiError 413 when a file or field is too large, 400 when the body does not match its content type, 507 when the
 *   disk is full; what the rules for files throw
 */
export async function readMultipart(
  message: IncomingMessage,
  limits: MultipartLimits,
  reading: Reading = {},
): Promise<MultipartBody> {
  await mkdir(limits.folder, { recursive: true })
  const folder = await mkdtemp(join(limits.folder, folderPrefix))
  underWay.add(folder)
  const dispose = async () => {
    await rm(folder, { recursive: true, force: true })
    underWay.delete(folder)
  }
  try {
    return { parameters: await receive(message, limits, reading, folder), dispose }
  } catch (error) {
    await dispose()
    throw failureOf(error as Error)
  }
}
