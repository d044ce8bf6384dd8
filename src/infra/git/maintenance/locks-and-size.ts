/** Checks and measures repositories, and cleans up after crashes. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesBelow, filesBelow, removeOlder } from '../../files/index.ts'
import { countCommits, countMore } from '../history/log.ts'
import { GitError } from '../model/errors.ts'
import type { Oid } from '../model/names.ts'
import type { Quarantine } from '../model/values.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { memoryOf } from '../objects/history-cache.ts'
import type { Command } from '../process/command.ts'
import { expectRepository, readHead } from '../refs/head-file.ts'
import { QUARANTINE } from '../writing/incoming.ts'
import { removeOrphanPacks } from './orphan-packs.ts'

/** The weight of a counted head in the cache, in bytes. */
const COUNTED_BYTES = 100

/**
 * Checks every object and ref.
 * @param connectivityOnly checks only that all objects exist which refs reach, without reading the content of files
 * @throws GitError `repository_missing`
 */
export async function fsck(
  { runner, directory }: RepositoryContext,
  { connectivityOnly = false, signal }: { connectivityOnly?: boolean; signal?: AbortSignal } = {},
): Promise<{ ok: boolean; problems: string[] }> {
  // HEAD first: this reports a missing repository.
  await expectRepository(directory)
  const depth = connectivityOnly ? (['--connectivity-only'] as const) : (['--full', '--strict'] as const)
  const flags = [...depth, '--no-dangling', '--no-progress'] as const
  const command: Command = { subcommand: 'fsck', flags, directory }
  const expectedExitCodes = Array.from({ length: 256 }, (_, code) => code)
  const exit = await runner.run(command, { expectedExitCodes, queue: 'transfer', signal })
  const lines = `${exit.stdout.toString('utf8')}${exit.stderr}`.split('\n')
  const problems = lines.filter((line) => line !== '' && !line.startsWith('notice: '))
  return { ok: exit.exitCode === 0, problems }
}

type Counted = { tip: Oid; count: number }

/**
 * Counts the commits that are reachable from HEAD; 0 when its branch does not exist. After a first push the count is known, and after
 * further ones only the difference is counted.
 */
export async function commitCount(context: RepositoryContext): Promise<number> {
  const { directory, history, pool } = context
  const tip = (await pool.reader(directory).commitAt(await readHead(directory)))?.oid
  if (tip === undefined) return 0
  const memory = memoryOf<Counted>(history, 'commits of HEAD', () => COUNTED_BYTES)
  const last = memory.get(directory, '')
  // The former head may have been deleted since.
  const more = last && (await countMore(context, last.tip, tip).catch(ignoreMissingObject))
  const count = last && more != null ? last.count + more : await countCommits(context, { tips: [tip], excluded: [] })
  memory.set(directory, '', { tip, count })
  return count
}

function ignoreMissingObject(error: unknown): null {
  if (error instanceof GitError && error.code === 'object_missing') return null
  throw error
}

/** The directory of a repository for what other parts of the server derive from its files. */
export const derivedDirectoryOf = (directory: string): string => join(directory, 'derived')

/** The total size of the repository's files, in bytes, without what is derived. @throws GitError `repository_missing` */
export async function sizeBytes(directory: string): Promise<number> {
  await readHead(directory)
  const [all, derived] = await Promise.all([bytesBelow(directory), bytesBelow(derivedDirectoryOf(directory))])
  return all - derived
}

/** The size of the files of the new objects of a push, in bytes. */
export const incomingBytes = ({ objectDirectory }: Quarantine): Promise<number> => bytesBelow(objectDirectory)

/** Lock files (ref names cannot end in `.lock`) and `packed-refs.new`, unfinished packs, crash reports, and the marks of fetches. */
const STALE_FILE =
  /(?:\.lock|\/packed-refs\.new|\/objects\/(?:.*\/)?tmp_[^/]+|\/objects\/pack\/\.tmp-\d+-pack-[^/]+|\/fast_import_crash_\d+|\/fetches\/[0-9a-f-]{36})$/

/** Deletes the locks of refs, of `packed-refs` or of `HEAD`, that are older than a time. */
export async function clearLocks(
  directory: string,
  names: readonly string[],
  { olderThanMs, now }: { olderThanMs: number; now: Date },
): Promise<void> {
  const before = now.getTime() - olderThanMs
  // Git makes it under the lock, and only when it does not exist.
  if (names.includes('packed-refs')) await removeOlder(join(directory, 'packed-refs.new'), before)
  for (const name of names) await removeOlder(join(directory, `${name}.lock`), before)
}

/** Deletes files of killed processes: a stale lock would block its ref forever. @returns their number */
export async function clearStale(
  directory: string,
  { olderThanMs, now }: { olderThanMs: number; now: Date },
): Promise<number> {
  const before = now.getTime() - olderThanMs
  const objects = await readdir(join(directory, 'objects'))
  const quarantines = objects.filter((name) => QUARANTINE.test(name)).map((name) => join(directory, 'objects', name))
  const isInside = (path: string) => quarantines.some((quarantine) => path.startsWith(`${quarantine}/`))
  const files = (await filesBelow(directory)).filter((path) => STALE_FILE.test(path) && !isInside(path))
  let count = await removeOrphanPacks(directory, before)
  for (const path of [...quarantines, ...files]) if (await removeOlder(path, before)) count += 1
  return count
}
