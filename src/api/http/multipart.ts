import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type busboy from 'busboy'
import type { Clock } from '../../infra/clock/index.ts'
import { namesIn, removeOlder } from '../../infra/files/index.ts'
import { badRequest, insufficientStorage, malformedBody, tooLarge } from '../operation/errors.ts'
import { addParameter, emptyParameters, type RawParameters } from '../operation/nested-parameters.ts'
import { type UploadedFile, uploadedFile } from '../operation/uploaded-file.ts'

/** The parameters of a multipart body, files included; `dispose` removes the files from the disk. */
type MultipartBody = { parameters: RawParameters; dispose(): Promise<void> }

/** `fieldBytes` is the limit of all fields, which are read into memory; a body has at most one file and the fields. */
export type MultipartLimits = { fileBytes: number; fieldBytes: number; folder: string }

/** What boundaries and part headers may add to a body. */
const framingBytes = 1024 * 1024

/** Passes a body on, up to its limit. */
function bounded(message: IncomingMessage, maximumBytes: number) {
  return async function* (): AsyncGenerator<Buffer> {
    let sizeBytes = 0
    for await (const chunk of message as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      if (sizeBytes > maximumBytes) throw tooLarge()
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

/** Errors of the disk for files that it has no space for. */
const outOfSpace = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The last component of a file name; clients may send a path of either kind. */
const lastComponent = (name: string) => name.replaceAll('\\', '/').split('/').at(-1) ?? ''

async function storeFile({ stream, info }: Received, path: string): Promise<UploadedFile> {
  await pipeline(stream, createWriteStream(path))
  if (stream.truncated) throw tooLarge()
  const { size } = await stat(path)
  const filename = lastComponent(info.filename ?? '')
  return uploadedFile({ filename, contentType: info.mimeType, sizeBytes: size, path })
}

/** A browser sends a part like this for a form without a file. */
const isNoFile = ({ filename, sizeBytes }: UploadedFile) => filename === '' && sizeBytes === 0

/** Loaded with the first multipart body, which most processes never receive. */
const load = () => createRequire(import.meta.url)('busboy') as typeof busboy

/** Reads the body with `busboy`, with one promise for each file. */
async function receive(message: IncomingMessage, limits: MultipartLimits, folder: string): Promise<RawParameters> {
  const parameters = emptyParameters()
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
  const parts: [name: string, value: string | Promise<UploadedFile>][] = []
  const files: Promise<UploadedFile>[] = []
  let fieldBytes = 0
  parser.on('field', (name, value, info) => {
    fieldBytes += Buffer.byteLength(value)
    if (info.valueTruncated || info.nameTruncated || fieldBytes > limits.fieldBytes) parser.destroy(tooLarge())
    else parts.push([name, value])
  })
  parser.on('file', (name, stream, info) => {
    const stored = storeFile({ name, stream, info }, join(folder, String(files.length)))
    // The parser would wait for a stream that nothing reads. The promise itself is awaited below, possibly long after it failed.
    stored.catch((error) => {
      if (!stream.truncated) parser.destroy(error)
    })
    files.push(stored)
    parts.push([name, stored])
  })
  for (const limit of ['filesLimit', 'partsLimit']) parser.on(limit, () => parser.destroy(tooLarge()))
  parser.on('fieldsLimit', () => parser.destroy(badRequest('invalid parameters')))
  try {
    await pipeline(bounded(message, limits.fileBytes + limits.fieldBytes + framingBytes), parser)
  } catch (error) {
    // Files that were started end before their folder is removed.
    await Promise.allSettled(files)
    throw error
  }
  for (const [name, value] of parts) {
    const file = typeof value === 'string' ? null : await value
    addParameter(parameters, name, file === null ? value : isNoFile(file) ? '' : file)
  }
  return parameters
}

/** Errors of the disk say so; all others are of the body. */
function failureOf(error: Error & { status?: number; code?: string; syscall?: string }): Error {
  if (outOfSpace.has(error.code ?? '')) return insufficientStorage()
  return error.status || error.syscall ? error : malformedBody()
}

/**
 * Reads a multipart body; files are streamed to the disk.
 * @throws ApiError 413 when a file or field is too large, 400 when the body does not match its content type, 507 when the
 *   disk is full
 */
export async function readMultipart(message: IncomingMessage, limits: MultipartLimits): Promise<MultipartBody> {
  await mkdir(limits.folder, { recursive: true })
  const folder = await mkdtemp(join(limits.folder, folderPrefix))
  underWay.add(folder)
  const dispose = async () => {
    await rm(folder, { recursive: true, force: true })
    underWay.delete(folder)
  }
  try {
    return { parameters: await receive(message, limits, folder), dispose }
  } catch (error) {
    await dispose()
    throw failureOf(error as Error)
  }
}
