/** Creates archives of the files of a commit. */
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { handled } from '../../streams/index.ts'
import { GitError } from '../model/errors.ts'
import { type Oid, type TreePath, treePath } from '../model/names.ts'
import type { ArchiveOptions } from '../model/reading-types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { pacedStream } from '../process/client-watch.ts'
import type { Command, Operand } from '../process/command.ts'
import { outputOfJob } from '../process/output.ts'
import { failure, type Runner } from '../process/runner.ts'
import type { SlotRequest } from '../process/semaphore.ts'
import type { RunningJob } from '../process/spawner/spawner.ts'

const CHUNK_BYTES = 64 * 1024

/** Makes git compress by itself. By default it would start a program through a shell. */
const CONFIG: Command['config'] = [
  ['tar.tar.gz.command', 'git archive gzip'],
  ['tar.umask', '0002'],
]

/** Directories of empty repositories, one for each object format. */
const reflessPath = fileURLToPath(new URL('../refless', import.meta.url))

/**
 * Archives are created from a repository without refs that borrows the objects: `export-subst` could write the names of all
 * refs, even hidden ones, into a file, and the bytes would change whenever a branch moves.
 */
function withoutRefs(directory: string, commit: Oid): Readonly<Record<string, string>> {
  const format = commit.length === 64 ? 'sha256' : 'sha1'
  return { GIT_DIR: join(reflessPath, format), GIT_OBJECT_DIRECTORY: join(directory, 'objects') }
}

/**
 * Streams an archive of a commit. Every entry has the commit's time, so the same commit gives the same bytes; entries keep their whole path below
 * the top directory. The export attributes of `.gitattributes` apply, except that ref names are not substituted. Destroying
 * the stream ends its processes.
 * @throws GitError `object_missing` when there is no such commit, nothing at `path`, or nothing left of it; `unsupported` for `tar.bz2` on a
 * machine without bzip2; `invalid_input` for a prefix that would lead elsewhere. What fails later on destroys the stream.
 */
export async function archive(
  { runner, pool, directory }: RepositoryContext,
  commit: Oid,
  { format, prefix, path, excludedPaths = [], signal, caller }: ArchiveOptions,
): Promise<Readable> {
  if (treePath(prefix) === null) throw new GitError('invalid_input', 'illegal top directory of an archive')
  const info = await pool.reader(directory).info(commit)
  if (info?.type !== 'commit') throw new GitError('object_missing', `no commit: ${commit}`)
  const command: Command = {
    subcommand: 'archive',
    flags: [`--format=${format === 'tar.bz2' ? 'tar' : format}`, `--prefix=${prefix}/`],
    operands: [commit, ...(path === undefined ? [] : [pathspec(path)]), ...excludedPaths.map(excluded)],
    directory,
    config: CONFIG,
    // Zip files contain local times.
    environment: { TZ: 'UTC', ...withoutRefs(directory, commit) },
  }
  const idleMs = runner.limits.clientIdleMs
  const { chunks, job } = await begin(runner, command, { signal, caller })
  if (format !== 'tar.bz2') return pacedStream(chunks, idleMs, job.kill)
  const tar = handled(Readable.from(chunks, { objectMode: false, highWaterMark: CHUNK_BYTES }))
  tar.once('close', job.kill)
  // Started after the slot was granted. A missing program is reported before any output.
  const filter = await runner.filter('bzip2', ['--compress', '--stdout'], signal).catch((error) => {
    job.kill()
    throw error
  })
  return filtered(tar, filter, idleMs)
}

/** Matches this path and everything below it, literally. */
function pathspec(path: TreePath): Operand {
  return `:(top,literal)${path}` as Operand
}

function excluded(path: TreePath): Operand {
  return `:(top,exclude,literal)${path}` as Operand
}

/** Resolves with the first bytes. Until then a failure can still be answered with an error. */
async function begin(
  runner: Runner,
  command: Command,
  request: SlotRequest,
): Promise<{ chunks: AsyncGenerator<Buffer>; job: RunningJob }> {
  const job = await runner.stream(command, { stdin: 'none', queue: 'transfer', ...request })
  const chunks = outputOfJob(job, (exit) => {
    if (exit.exitCode === 0) return
    if (!/pathspec '.*' did not match any files/s.test(exit.stderr)) throw failure(command, exit)
    throw new GitError('object_missing', 'the archive would have no files', { stderr: exit.stderr })
  })
  return { chunks: after(await chunks.next(), chunks), job }
}

/** Yields the first chunk, which was read before, and the rest. */
async function* after(first: IteratorResult<Buffer>, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value
  yield* chunks
}

/** Pipes a stream through another program. */
function filtered(source: Readable, filter: RunningJob, idleMs: number): Readable {
  const fed = new Promise<void>((resolve, reject) => {
    pipeline(source, filter.stdin!, (error) => (error ? reject(error) : resolve()))
  })
  // Not awaited by a reader that destroys the stream.
  fed.catch(() => {})
  const chunks = outputOfJob(filter, async (exit) => {
    if (exit.exitCode !== 0) throw new GitError('command_failed', 'a filter failed', { stderr: exit.stderr })
    // The program cannot tell a failed source from one that has ended.
    await fed
  })
  // A generator that waits for a chunk cannot be stopped; the job can.
  return pacedStream(chunks, idleMs, filter.kill).once('close', () => source.destroy())
}
