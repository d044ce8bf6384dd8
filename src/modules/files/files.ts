import {
  type Actor,
  contentDisposition,
  failure,
  isExceeded,
  notFound,
  type RateCounter,
  type Raw,
  type RequestInfo,
  type Static,
  type StreamedJson,
  streamedJson,
  tooManyRequests,
  weakEtag,
} from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { type BlameHunk, callerOf, GitError, type Oid, type TreePath, treePath } from '../../infra/git/index.ts'
import { resolveRevision } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { type OpenedRepository, openRepository, type Repositories } from '../repositories/index.ts'
import { type Content, createContents, jsonAround, type ReadingOptions } from './content.ts'
import { bytesHeaders, fileHeaders } from './headers.ts'
import { type Blob, type File, type FileFacts, presentBlame, presentFile } from './present.ts'

/** Bytes of an LFS object in place of the pointer that git has; null when the blob is no pointer, or nothing is behind it. */
export type LfsContent = (
  project: Project,
  pointer: Buffer,
) => Promise<{ sizeBytes: number; open(): Promise<NodeJS.ReadableStream> } | null>

export type FilesNeeds = {
  database: Database
  repositories: Repositories
  rateCounter: RateCounter
  lfsContent?: LfsContent
}

/** Who reads, and of which project. */
export type Reading = { project: Project; actor: Actor; request: RequestInfo }

/** Which file: a path as it came, in what a revision means. */
export type FileAddress = { path: string; ref: string }

type Located = { opened: OpenedRepository; commit: Oid; path: TreePath; content: Content; facts: FileFacts }

/** The content of repositories (contract 22, x.files_get … x.repo_blob_raw). */
export type Files = ReturnType<typeof createFiles>

/** As base64 in JSON these are costly, and may be asked for only so often (contract 22, x.files_get). */
const largeBytes = 10 * 1024 * 1024
const largeFiles = { name: 'large_files', requests: 5, periodSeconds: 60 }
/** Pointers of git LFS are smaller than this, in bytes. */
const pointerBytes = 1024

export function createFiles(needs: FilesNeeds) {
  const { rateCounter, lfsContent } = needs
  const contents = createContents()

  /** @throws ApiError 429 when this caller has asked for too many large files of this project */
  async function admitLarge({ project, actor, request }: Reading, sizeBytes: number): Promise<void> {
    if (sizeBytes <= largeBytes) return
    const caller = actor.kind === 'user' ? `user-${actor.userId}` : `ip-${request.ip}`
    const standing = await rateCounter.hit(`${largeFiles.name}:${project.id}:${caller}`, largeFiles)
    if (isExceeded(standing)) throw tooManyRequests(standing.resetsAtSeconds - standing.nowSeconds)
  }

  /** What a path is in a commit; the commit is looked for first. */
  async function fileAt(project: Project, { path: text, ref }: FileAddress) {
    const opened = await openRepository(needs, project)
    const commit = await resolveRevision(opened, ref)
    if (!commit) throw notFound('Commit')
    const path = treePath(text)
    const entry = path && (await opened.repository.entryAt(commit, path))
    if (!path || entry?.type !== 'blob') throw notFound('File')
    return { opened, commit, path, entry }
  }

  /** @throws ApiError 404 `Commit`, 404 `File` */
  async function locate(who: Reading, address: FileAddress, admit?: ReadingOptions['admit']): Promise<Located> {
    const { opened, commit, path, entry } = await fileAt(who.project, address)
    const { repository } = opened
    const reading = { ...readerOf(who), resource: 'File' as const, admit }
    const [content, lastCommit] = await Promise.all([
      contents.read(repository, entry.oid, reading),
      repository.lastCommitOf(commit, path),
    ])
    const place = { ref: address.ref, commit, lastCommit: lastCommit ?? commit }
    return { opened, commit, path, content, facts: presentFile(entry, content, place) }
  }

  /** Short ids mean the one blob that has them (contract 22 R9). */
  async function blobOf(reading: Reading, sha: string, admit?: ReadingOptions['admit']): Promise<Content> {
    const { repository } = await openRepository(needs, reading.project)
    const oid = await repository.resolveBlob(sha)
    if (!oid) throw notFound('Blob')
    return contents.read(repository, oid, { ...readerOf(reading), resource: 'Blob', admit })
  }

  return {
    /** A file with its content, which is streamed when it is large (contract 22, x.files_get). */
    async get(
      reading: Reading,
      address: FileAddress,
    ): Promise<{ headers: Record<string, string>; file: Static<typeof File> | StreamedJson }> {
      const admit = (sizeBytes: number) => admitLarge(reading, sizeBytes)
      const { content, facts } = await locate(reading, address, admit)
      const headers = fileHeaders(facts)
      if (content.held) return { headers, file: { ...facts, content: content.held.toString('base64') } }
      return { headers, file: streamed(content, facts, {}) }
    },

    /** What the headers tell of a file (contract 22 R7). */
    async headers(reading: Reading, address: FileAddress): Promise<Record<string, string>> {
      return fileHeaders((await locate(reading, address)).facts)
    },

    /** The bytes of a file (contract 22, x.files_raw). */
    async raw(reading: Reading, address: FileAddress, options: { lfs: boolean }): Promise<Raw> {
      const { content, facts } = await locate(reading, address)
      const pointer = options.lfs && content.held && content.sizeBytes <= pointerBytes ? content.held : null
      const lfs = pointer && lfsContent ? await lfsContent(reading.project, pointer) : null
      const headers = {
        ...fileHeaders(facts),
        ...bytesHeaders(lfs ? { isText: false, sizeBytes: lfs.sizeBytes } : content),
        'Content-Disposition': contentDisposition('inline', facts.file_name),
        'Cache-Control': 'no-store',
      }
      return { headers, body: lfs ? lfs.open : (content.held ?? content.open) }
    },

    /**
     * Which commit each line of a file came with (contract 22, x.files_blame).
     * @throws ApiError 400 for a range that is none, or a file that is too large
     */
    async blame(reading: Reading, address: FileAddress, range?: { start: number; end: number }) {
      if (range && range.start > range.end) {
        throw failure(400, 'range[start] must be less than or equal to range[end]')
      }
      const { opened, commit, path, facts } = await locate(reading, address)
      const hunks = await opened.repository.blame(commit, path, range).catch(blameFailure)
      const commits = await opened.repository.commits([...new Set(hunks.map(({ oid }) => oid))])
      const blame = hunks.flatMap((hunk) => {
        const found = commits.get(hunk.oid)
        return found ? [presentBlame(found, hunk)] : []
      })
      return { headers: fileHeaders(facts), blame }
    },

    /** A blob with its content (contract 22, x.repo_blob). */
    async blob(reading: Reading, sha: string): Promise<Static<typeof Blob> | StreamedJson> {
      const content = await blobOf(reading, sha, (sizeBytes) => admitLarge(reading, sizeBytes))
      const before = { size: content.sizeBytes, encoding: 'base64' as const }
      if (content.held) return { ...before, content: content.held.toString('base64'), sha: content.oid }
      return streamed(content, before, { sha: content.oid })
    },

    /** The bytes of a blob (contract 22, x.repo_blob_raw). */
    async rawBlob(reading: Reading, sha: string): Promise<Raw> {
      const content = await blobOf(reading, sha)
      const headers = { ...bytesHeaders(content), 'Content-Disposition': 'inline', ETag: weakEtag(content.oid) }
      return { headers, body: content.held ?? content.open }
    },
  }
}

/** For how long, and on whose behalf, something large is read. */
function readerOf({ actor, request }: Reading): Pick<ReadingOptions, 'signal' | 'caller'> {
  const name = actor.kind === 'user' ? `user-${actor.userId}` : undefined
  return { signal: request.signal, caller: callerOf(name, request.ip) }
}

function streamed(content: Content, before: object, after: object): StreamedJson {
  const { head, lengthBytes, open } = jsonAround(content, before, after)
  // Whatever distinguishes two answers stands before the content, or follows from its hash.
  const etag = weakEtag(`${content.sha256} ${head}`)
  return streamedJson({ headers: { 'Content-Length': String(lengthBytes), ETag: etag }, body: open })
}

/** Lines behind the end of a file are not there, which is no mistake of the caller's. */
function blameFailure(error: unknown): BlameHunk[] {
  if (!(error instanceof GitError)) throw error
  if (error.code === 'invalid_input') return []
  if (error.code === 'too_large') throw failure(400, 'The file is too large to be blamed')
  throw error
}
