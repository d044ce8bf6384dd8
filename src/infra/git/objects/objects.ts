/** Reads objects: small ones through the pool, large ones as streams. */
import { Readable } from 'node:stream'
import { handled } from '../../streams/index.ts'
import { GitError } from '../model/errors.ts'
import { isZeroOid, type Oid, refName } from '../model/names.ts'
import type { RefSnapshot } from '../model/ref-snapshot.ts'
import type {
  BlobStream,
  Commit,
  ForCaller,
  ObjectContent,
  ObjectInfo,
  ReadOptions,
  TagObject,
} from '../model/types.ts'
import { pacedStream } from '../process/client-watch.ts'
import { type Command, isHiddenRef, type Operand } from '../process/command.ts'
import { outputOfJob } from '../process/output.ts'
import { failure } from '../process/runner.ts'
import { parseCommit, parseTagObject } from './commit.ts'
import { type RepositoryContext, readEach, withReader } from './context.ts'

const BLOB = 'blob' as Operand
/** Longer commits are truncated, in bytes. */
const COMMIT_BYTES = 1024 * 1024
/** The minimal length of an abbreviated id (contract 1.13, 22 R9). */
const ABBREVIATED_ID = /^[0-9a-f]{7,64}$/i

/** Reads and parses commits. Ids that do not exist or are not commits are absent from the result. */
export async function readCommits(
  context: RepositoryContext,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Map<Oid, Commit>> {
  const { commits, directory } = context
  const found = new Map<Oid, Commit>()
  const unknown: Oid[] = []
  for (const oid of oids) {
    const known = quarantine === undefined ? commits.get(directory, oid) : undefined
    if (known !== undefined) found.set(oid, known)
    else if (!isZeroOid(oid)) unknown.push(oid)
  }
  const read = await readEach(context, unknown, quarantine, async (reader, oid) => {
    const answer = await reader.contents(oid, COMMIT_BYTES)
    return answer?.type === 'commit' ? parseCommit(oid, answer.content) : null
  })
  for (const [oid, commit] of read) {
    found.set(oid, commit)
    // Objects in quarantine may be refused, and must not be readable afterwards.
    if (quarantine === undefined) commits.set(directory, oid, commit)
  }
  return found
}

/** Reads and parses tag objects. Ids that do not exist or are not tag objects are absent from the result. */
export function readTagObjects(context: RepositoryContext, oids: readonly Oid[]): Promise<Map<Oid, TagObject>> {
  return readEach(context, oids, undefined, async (reader, oid) => {
    const answer = await reader.contents(oid, COMMIT_BYTES)
    return answer?.type === 'tag' ? parseTagObject(oid, answer.content) : null
  })
}

/** Reads the type and size of an object. @returns null when it does not exist */
export async function objectInfo(
  context: RepositoryContext,
  oid: Oid,
  { quarantine }: ReadOptions = {},
): Promise<ObjectInfo | null> {
  const answer = await withReader(context, quarantine, (reader) => reader.info(oid))
  return answer === null ? null : { oid: answer.oid, type: answer.type, sizeBytes: answer.sizeBytes }
}

/** Reads an object. @returns null when it does not exist @throws GitError `too_large` above `maxBytes` */
export async function readObject(
  context: RepositoryContext,
  oid: Oid,
  { maxBytes, quarantine }: { maxBytes: number } & ReadOptions,
): Promise<ObjectContent | null> {
  return withReader(context, quarantine, async (reader) => {
    // The size first, so that a large object is refused before it is read.
    const info = await reader.info(oid)
    if (info !== null && info.sizeBytes > maxBytes) {
      throw new GitError('too_large', `object of ${info.sizeBytes} bytes, ${maxBytes} allowed`)
    }
    return info === null ? null : reader.contents(oid, maxBytes)
  })
}

/** Resolves a blob id of at least seven digits. @returns null when no blob or several match */
export async function resolveBlob({ pool, directory }: RepositoryContext, id: string): Promise<Oid | null> {
  if (!ABBREVIATED_ID.test(id)) return null
  const digits = id.toLowerCase()
  const blob = await pool.reader(directory).blobByPrefix(digits)
  // Git would prefer a ref with that name.
  return blob?.oid.startsWith(digits) ? blob.oid : null
}

/**
 * Streams a blob. A large one holds a process slot until it is read or destroyed, and fails with GitError `timeout` when it is
 * not read for `clientIdleMs`.
 * @returns null when it does not exist
 */
export async function streamBlob(
  { runner, pool, directory }: RepositoryContext,
  oid: Oid,
  { signal, caller }: { signal?: AbortSignal } & ForCaller = {},
): Promise<BlobStream | null> {
  const reader = pool.reader(directory)
  const info = await reader.info(oid)
  if (info?.type !== 'blob') return null
  if (info.sizeBytes <= runner.limits.bufferedObjectBytes) {
    const content = await reader.contents(oid, info.sizeBytes)
    return content === null ? null : { sizeBytes: info.sizeBytes, stream: handled(Readable.from([content.content])) }
  }
  const command: Command = { subcommand: 'cat-file', operands: [BLOB, oid], directory }
  const job = await runner.stream(command, { stdin: 'none', queue: 'transfer', signal, caller })
  const content = outputOfJob(job, (exit) => {
    if (exit.exitCode !== 0) throw failure(command, exit)
  })
  return { sizeBytes: info.sizeBytes, stream: pacedStream(content, runner.limits.clientIdleMs, job.kill) }
}

/**
 * Resolves a revision of the API to a commit: a branch, a tag, a full ref or a commit id, in this order (contract 1.13). Git's
 * revision syntax is not supported: only names in the snapshot, legal full refs that are not hidden, and hexadecimal ids.
 */
export async function resolveCommit(
  { pool, directory }: RepositoryContext,
  revision: string,
  snapshot: RefSnapshot,
): Promise<Oid | null> {
  const known = snapshot.branch(revision)?.oid ?? snapshot.tagCommit(revision)
  if (known !== null) return known
  const ref = refName(revision)
  if (ref !== null) {
    if (ref.startsWith('refs/heads/')) return snapshot.branch(ref.slice('refs/heads/'.length))?.oid ?? null
    if (ref.startsWith('refs/tags/')) return snapshot.tagCommit(ref.slice('refs/tags/'.length))
    return isHiddenRef(ref) ? null : ((await pool.reader(directory).commitAt(ref))?.oid ?? null)
  }
  if (!ABBREVIATED_ID.test(revision)) return null
  const digits = revision.toLowerCase()
  const commit = await pool.reader(directory).commitByPrefix(digits)
  // Git may have found the id of a tag, or another name.
  return commit?.oid.startsWith(digits) ? commit.oid : null
}
