import {
  type Actor,
  contentDisposition,
  failure,
  limitRequests,
  notFound,
  type Raw,
  type RequestInfo,
  type StreamedJson,
  streamedJson,
  weakEtag,
} from '../../../api/index.ts'
import { type BlameHunk, callerOf, GitError, treePath } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { resolveRevision } from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'
import { type Content, jsonAround, type ReadingOptions, readContent } from './content.ts'
import { bytesHeaders, fileHeaders } from './headers.ts'
import { presentBlame, presentFile } from './present.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The LFS object behind a pointer file; null when the content is not a pointer, or the object is missing. */
    'files.lfs_content'(
      project: Project,
      pointer: Buffer,
    ): Promise<{ sizeBytes: number; open(): Promise<NodeJS.ReadableStream> } | null>
  }
}

/** A request that reads from a project's repository. */
type Reading = { project: Project; actor: Actor; request: RequestInfo }

/** A path, which is not checked yet, in a revision. */
type FileAddress = { path: string; ref: string }

/** Files above this size are expensive as base64 and limited in number (contract 22, x.files_get). */
const largeBytes = 10 * 1024 * 1024
const largeFiles = { name: 'large_files', requests: 5, periodSeconds: 60 }
/** Maximal size of an LFS pointer file, in bytes. */
const pointerBytes = 1024

/** @throws ApiError 429 when the caller has read too many large files of the project */
async function admitLarge(platform: Platform, { project, actor, request }: Reading, sizeBytes: number): Promise<void> {
  if (sizeBytes <= largeBytes) return
  const caller = actor.kind === 'user' ? `user-${actor.userId}` : `ip-${request.ip}`
  await limitRequests(platform, `${project.id}:${caller}`, largeFiles)
}

/** @throws ApiError 404 `Commit`, 404 `File` */
async function fileAt(platform: Platform, project: Project, { path: text, ref }: FileAddress) {
  const opened = await openRepository(platform, project)
  const commit = await resolveRevision(opened, ref)
  if (!commit) throw notFound('Commit')
  const path = treePath(text)
  const entry = path && (await opened.repository.entryAt(commit, path))
  if (!path || entry?.type !== 'blob') throw notFound('File')
  return { opened, commit, path, entry }
}

/** @throws ApiError 404 `Commit`, 404 `File` */
async function locate(platform: Platform, reading: Reading, address: FileAddress, admit?: ReadingOptions['admit']) {
  const { opened, commit, path, entry } = await fileAt(platform, reading.project, address)
  const { repository } = opened
  const options = { ...readerOf(reading), resource: 'File' as const, admit }
  const [content, lastCommit] = await Promise.all([
    readContent(platform, repository, entry.oid, options),
    repository.lastCommitOf(commit, path),
  ])
  const found = { ref: address.ref, commit, lastCommit: lastCommit ?? commit }
  return { opened, commit, path, content, facts: presentFile(entry, content, found) }
}

/** Finds a blob by its id, or by an unambiguous short id (contract 22 R9). */
async function blobOf(platform: Platform, reading: Reading, sha: string, admit?: ReadingOptions['admit']) {
  const { repository } = await openRepository(platform, reading.project)
  const oid = await repository.resolveBlob(sha)
  if (!oid) throw notFound('Blob')
  return readContent(platform, repository, oid, { ...readerOf(reading), resource: 'Blob', admit })
}

/** A file with its content, which is streamed when it is large (contract 22, x.files_get). */
export async function getFile(platform: Platform, reading: Reading, address: FileAddress) {
  const admit = (sizeBytes: number) => admitLarge(platform, reading, sizeBytes)
  const { content, facts } = await locate(platform, reading, address, admit)
  const headers = fileHeaders(facts)
  if (content.held) return { headers, file: { ...facts, content: content.held.toString('base64') } }
  return { headers, file: streamed(content, facts, {}) }
}

/** The facts about a file as headers (contract 22 R7). */
export async function getFileHeaders(platform: Platform, reading: Reading, address: FileAddress) {
  return fileHeaders((await locate(platform, reading, address)).facts)
}

/** The bytes of a file (contract 22, x.files_raw). */
export async function getRawFile(
  platform: Platform,
  reading: Reading,
  address: FileAddress,
  options: { lfs: boolean },
): Promise<Raw> {
  const { content, facts } = await locate(platform, reading, address)
  const pointer = options.lfs && content.held && content.sizeBytes <= pointerBytes ? content.held : null
  const lfs = pointer && (await platform.ports['files.lfs_content'](platform, reading.project, pointer))
  const headers = {
    ...fileHeaders(facts),
    ...bytesHeaders(lfs ? { isText: false, sizeBytes: lfs.sizeBytes } : content),
    'Content-Disposition': contentDisposition('inline', facts.file_name),
    'Cache-Control': 'no-store',
  }
  return { headers, body: lfs ? lfs.open : (content.held ?? content.open) }
}

/** The commit of each line of a file (contract 22, x.files_blame). @throws ApiError 400, 404 */
export async function blameFile(
  platform: Platform,
  reading: Reading,
  address: FileAddress,
  range?: { start: number; end: number },
) {
  if (range && range.start > range.end) throw failure(400, 'range[start] must be less than or equal to range[end]')
  const { opened, commit, path, facts } = await locate(platform, reading, address)
  const hunks = await opened.repository.blame(commit, path, range).catch(blameFailure)
  const commits = await opened.repository.commits([...new Set(hunks.map(({ oid }) => oid))])
  const blame = hunks.flatMap((hunk) => {
    const found = commits.get(hunk.oid)
    return found ? [presentBlame(found, hunk)] : []
  })
  return { headers: fileHeaders(facts), blame }
}

/** A blob with its content (contract 22, x.repo_blob). */
export async function getBlob(platform: Platform, reading: Reading, sha: string) {
  const content = await blobOf(platform, reading, sha, (sizeBytes) => admitLarge(platform, reading, sizeBytes))
  const before = { size: content.sizeBytes, encoding: 'base64' as const }
  if (content.held) return { ...before, content: content.held.toString('base64'), sha: content.oid }
  return streamed(content, before, { sha: content.oid })
}

/** The bytes of a blob (contract 22, x.repo_blob_raw). */
export async function getRawBlob(platform: Platform, reading: Reading, sha: string): Promise<Raw> {
  const content = await blobOf(platform, reading, sha)
  const headers = { ...bytesHeaders(content), 'Content-Disposition': 'inline', ETag: weakEtag(content.oid) }
  return { headers, body: content.held ?? content.open }
}

/** The lifetime and the caller of a stream. */
function readerOf({ actor, request }: Reading): Pick<ReadingOptions, 'signal' | 'caller'> {
  const name = actor.kind === 'user' ? `user-${actor.userId}` : undefined
  return { signal: request.signal, caller: callerOf(name, request.ip) }
}

function streamed(content: Content, before: object, after: object): StreamedJson {
  const { head, lengthBytes, open } = jsonAround(content, before, after)
  // The head and the content's hash identify the answer.
  const etag = weakEtag(`${content.sha256} ${head}`)
  return streamedJson({ headers: { 'Content-Length': String(lengthBytes), ETag: etag }, body: open })
}

/** Lines after the end of a file are an empty blame, not an error. */
function blameFailure(error: unknown): BlameHunk[] {
  if (!(error instanceof GitError)) throw error
  if (error.code === 'invalid_input') return []
  if (error.code === 'too_large') throw failure(400, 'The file is too large to be blamed')
  throw error
}
