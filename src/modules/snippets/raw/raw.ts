import { Readable } from 'node:stream'
import { contentDisposition, notFound, parameterError, type Raw, weakEtag } from '../../../api/index.ts'
import { callerOf, type Oid, treePath } from '../../../infra/git/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'
import { resolveRevision } from '../../commits/index.ts'
import type { Snippet } from '../core/access.ts'
import { filesAt, openSnippet } from '../repository/repository.ts'

/** Who reads. */
type Reading = { signal: AbortSignal; ip: string; userId: number | null }

/** Smaller files are read at once, in bytes. */
const heldBytes = 1024 * 1024

/** Headers with which a browser runs no content of users, and those of contract 3.11b. */
function headersOf(path: string, sizeBytes: number, oid: string): Record<string, string> {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(sizeBytes),
    'Content-Disposition': contentDisposition('inline', path.slice(path.lastIndexOf('/') + 1), 'both'),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    ETag: weakEtag(oid),
  }
}

async function rawBlob({ repository }: OpenedRepository, path: string, oid: Oid, reading: Reading): Promise<Raw> {
  const info = await repository.object(oid)
  if (info?.type !== 'blob') throw notFound('File')
  const headers = headersOf(path, info.sizeBytes, oid)
  const { signal, ip, userId } = reading
  const caller = callerOf(userId === null ? undefined : `user-${userId}`, ip)
  async function body(): Promise<NodeJS.ReadableStream> {
    const isSmall = (info?.sizeBytes ?? 0) <= heldBytes
    const held = isSmall ? await repository.readObject(oid, { maxBytes: heldBytes }) : null
    const stream = held
      ? handled(Readable.from([held.content]))
      : (await repository.streamBlob(oid, { signal, caller }))?.stream
    if (!stream) throw notFound('File')
    return stream
  }
  return { headers, body }
}

/** The bytes of the first file of a snippet (contract 3.11b); none while it has no files. */
export async function rawFirstFile(platform: Platform, snippet: Snippet, reading: Reading): Promise<Raw> {
  const { opened, head } = await openSnippet(platform, snippet)
  const [first] = await filesAt(opened.repository, head)
  if (!first) return { headers: headersOf(snippet.file_name, 0, ''), body: '' }
  return rawBlob(opened, first.path, first.oid, reading)
}

/** The bytes of a file at a revision (contract 3.11c). @throws ApiError 400, 404 `Reference`, 404 `File` */
export async function rawFile(
  platform: Platform,
  snippet: Snippet,
  { ref, path: text }: { ref: string; path: string },
  reading: Reading,
): Promise<Raw> {
  if (text.startsWith('/') || text.split('/').includes('..')) {
    throw parameterError('file_path', 'should be a valid file path')
  }
  const { opened } = await openSnippet(platform, snippet)
  const commit = await resolveRevision(opened, ref)
  if (!commit) throw notFound('Reference')
  const path = treePath(text)
  const entry = path && (await opened.repository.entryAt(commit, path))
  if (!path || entry?.type !== 'blob') throw notFound('File')
  return rawBlob(opened, path, entry.oid, reading)
}
