/** Reads objects: small ones through the pool, large ones as a stream. */
import { Readable } from 'node:stream'
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
import { atClientsPace, idleClient } from '../process/client-watch.ts'
import { type Command, isHiddenRef, type Operand } from '../process/command.ts'
import { failure, type Runner } from '../process/runner.ts'
import type { CatFilePool, ObjectReader } from './cat-file-pool.ts'
import { parseCommit, parseTagObject } from './commit.ts'
import type { RepositoryCache } from './repository-cache.ts'

const BLOB = 'blob' as Operand
/** A commit above this size (a message of that length) is cut, not refused. */
const COMMIT_BYTES = 1024 * 1024
/** Least digits of an abbreviated id (contract 1.13, 22 R9). */
const ABBREVIATED_ID = /^[0-9a-f]{7,64}$/i

/** What a parsed commit weighs in the cache, in bytes: the strings, and a guess for the objects. */
export function commitWeight({ message, trailers, parentOids }: Commit): number {
  return 600 + message.length * 2 + trailers.length * 100 + parentOids.length * 60
}

/** Parsed commits; ids that are missing, or not commits, are absent. */
export async function readCommits(
  pool: CatFilePool,
  cache: RepositoryCache<Commit>,
  directory: string,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Map<Oid, Commit>> {
  const found = new Map<Oid, Commit>()
  const read = (reader: ObjectReader, wanted: Oid[]) =>
    Promise.all(
      wanted.map(async (oid) => {
        const answer = await reader.contents(oid, COMMIT_BYTES)
        const commit = answer?.type === 'commit' ? parseCommit(oid, answer.content) : null
        if (commit !== null) found.set(oid, commit)
        // What is in quarantine may never get in, and must not be readable later on.
        if (commit !== null && quarantine === undefined) cache.set(directory, oid, commit)
      }),
    )
  const unknown = new Set<Oid>()
  for (const oid of oids) {
    const known = quarantine === undefined ? cache.get(directory, oid) : undefined
    if (known !== undefined) found.set(oid, known)
    else if (!isZeroOid(oid)) unknown.add(oid)
  }
  if (unknown.size === 0) return found
  if (quarantine === undefined) await read(pool.reader(directory), [...unknown])
  else await pool.withQuarantine(directory, quarantine, (reader) => read(reader, [...unknown]))
  return found
}

/** Parsed tag objects; ids that are missing, or not tag objects, are absent. */
export async function readTagObjects(
  pool: CatFilePool,
  directory: string,
  oids: readonly Oid[],
): Promise<Map<Oid, TagObject>> {
  const found = new Map<Oid, TagObject>()
  const reader = pool.reader(directory)
  const read = async (oid: Oid) => {
    const answer = await reader.contents(oid, COMMIT_BYTES)
    const tag = answer?.type === 'tag' ? parseTagObject(oid, answer.content) : null
    if (tag !== null) found.set(oid, tag)
  }
  await Promise.all([...new Set(oids)].map(read))
  return found
}

/** Type and size of an object, or null. */
export async function objectInfo(
  pool: CatFilePool,
  directory: string,
  oid: Oid,
  { quarantine }: ReadOptions = {},
): Promise<ObjectInfo | null> {
  const answer =
    quarantine === undefined
      ? await pool.reader(directory).info(oid)
      : await pool.withQuarantine(directory, quarantine, (reader) => reader.info(oid))
  return answer === null ? null : { oid: answer.oid, type: answer.type, sizeBytes: answer.sizeBytes }
}

/** @throws GitError `too_large` above `maxBytes` */
export async function readObject(
  pool: CatFilePool,
  directory: string,
  oid: Oid,
  { maxBytes, quarantine }: { maxBytes: number } & ReadOptions,
): Promise<ObjectContent | null> {
  const read = async (reader: ObjectReader): Promise<ObjectContent | null> => {
    // The size first: refusing must not cost the transfer of what is refused.
    const info = await reader.info(oid)
    if (info !== null && info.sizeBytes > maxBytes) {
      throw new GitError('too_large', `object of ${info.sizeBytes} bytes, ${maxBytes} allowed`)
    }
    return info === null ? null : await reader.contents(oid, maxBytes)
  }
  if (quarantine === undefined) return read(pool.reader(directory))
  return pool.withQuarantine(directory, quarantine, read)
}

/** The blob that an id of at least seven digits means; null when there is none, or more than one. */
export async function resolveBlob(pool: CatFilePool, directory: string, id: string): Promise<Oid | null> {
  if (!ABBREVIATED_ID.test(id)) return null
  const digits = id.toLowerCase()
  const blob = await pool.reader(directory).blobByPrefix(digits)
  // Git would take a ref of that name first.
  return blob?.oid.startsWith(digits) ? blob.oid : null
}

/** A blob as a stream, whatever its size; null when there is no blob of that id. A large one holds a place until it is read or destroyed. */
export async function streamBlob(
  runner: Runner,
  pool: CatFilePool,
  directory: string,
  oid: Oid,
  { signal, caller }: { signal?: AbortSignal } & ForCaller = {},
): Promise<BlobStream | null> {
  const reader = pool.reader(directory)
  const info = await reader.info(oid)
  if (info?.type !== 'blob') return null
  if (info.sizeBytes <= runner.limits.bufferedObjectBytes) {
    const content = await reader.contents(oid, info.sizeBytes)
    return content === null ? null : { sizeBytes: info.sizeBytes, stream: Readable.from([content.content]) }
  }
  const command: Command = { subcommand: 'cat-file', operands: [BLOB, oid], directory }
  const job = await runner.stream(command, { stdin: 'none', queue: 'transfer', signal, caller })
  const content = contentOf(job.stdout!, async () => {
    const exit = await job.exit
    if (exit.exitCode !== 0) throw failure(command, exit)
  })
  const giveUp = () => stream.destroy(idleClient())
  const stream: Readable = Readable.from(atClientsPace(content, runner.limits.clientIdleMs, giveUp))
  stream.once('close', () => job.kill())
  return { sizeBytes: info.sizeBytes, stream }
}

/** The chunks of a command's output, failing at the end when the command failed. */
async function* contentOf(stdout: Readable, finish: () => Promise<void>): AsyncGenerator<Buffer> {
  yield* stdout as AsyncIterable<Buffer>
  await finish()
}

/**
 * What a user calls a revision: branch, then tag, then full ref, then commit id; always a commit (contract 1.13). Nothing of git's own revision
 * grammar gets through: a name must be in the snapshot, be a legal full ref that the server does not keep for itself, or be hexadecimal.
 */
export async function resolveCommit(
  pool: CatFilePool,
  directory: string,
  revision: string,
  snapshot: RefSnapshot,
): Promise<Oid | null> {
  const fromSnapshot = (name: string) => snapshot.branch(name)?.oid ?? tagCommit(snapshot, name)
  const known = fromSnapshot(revision)
  if (known !== null) return known
  const ref = refName(revision)
  if (ref !== null) {
    if (ref.startsWith('refs/heads/')) return snapshot.branch(ref.slice('refs/heads/'.length))?.oid ?? null
    if (ref.startsWith('refs/tags/')) return tagCommit(snapshot, ref.slice('refs/tags/'.length))
    return isHiddenRef(ref) ? null : ((await pool.reader(directory).commitAt(ref))?.oid ?? null)
  }
  if (!ABBREVIATED_ID.test(revision)) return null
  const digits = revision.toLowerCase()
  const commit = await pool.reader(directory).commitByPrefix(digits)
  // A tag's id, or some other name that git found, is not this commit's id.
  return commit?.oid.startsWith(digits) ? commit.oid : null
}

function tagCommit(snapshot: RefSnapshot, name: string): Oid | null {
  const tag = snapshot.tag(name)
  return tag?.peeledType === 'commit' ? tag.peeled : null
}
