/** Checks and measures repositories, and clears what crashes left. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../model/errors.ts'
import type { CatFilePool } from '../objects/cat-file-pool.ts'
import type { Command } from '../process/command.ts'
import type { Runner } from '../process/runner.ts'
import { readHead } from '../refs/head-file.ts'
import { removeOrphanPacks } from './orphan-packs.ts'

/** Checks every object and ref. @throws GitError `repository_missing` */
export async function fsck(
  runner: Runner,
  directory: string,
  signal?: AbortSignal,
): Promise<{ ok: boolean; problems: string[] }> {
  // HEAD first: fsck of nothing would be a command failure like any other.
  await readHead(directory).catch((error) => {
    if (error instanceof GitError && error.code === 'repository_missing') throw error
  })
  const flags = ['--full', '--strict', '--no-dangling', '--no-progress'] as const
  const command: Command = { subcommand: 'fsck', flags, directory }
  const expectedExitCodes = Array.from({ length: 256 }, (_, code) => code)
  const exit = await runner.run(command, { expectedExitCodes, queue: 'transfer', signal })
  const lines = `${exit.stdout.toString('utf8')}${exit.stderr}`.split('\n')
  const problems = lines.filter((line) => line !== '' && !line.startsWith('notice: '))
  return { ok: exit.exitCode === 0, problems }
}

/** Commits that can be reached from HEAD; 0 when its branch does not exist yet. */
export async function commitCount(runner: Runner, pool: CatFilePool, directory: string): Promise<number> {
  const tip = await pool.reader(directory).commitAt(await readHead(directory))
  if (tip === null) return 0
  const exit = await runner.run({ subcommand: 'rev-list', flags: ['--count'], operands: [tip.oid], directory })
  return Number(exit.stdout.toString('latin1').trim())
}

/** What the repository's files occupy, in bytes of content. @throws GitError `repository_missing` */
export async function sizeBytes(directory: string): Promise<number> {
  await readHead(directory)
  let total = 0
  for (const path of await filesBelow(directory)) total += (await statOrNull(path))?.size ?? 0
  return total
}

/** Files may vanish while they are listed: git works on. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return []
    throw cause
  })
  const files: string[] = []
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
}

function statOrNull(path: string) {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null
    throw cause
  })
}

/**
 * Locks (no ref may end in `.lock`) and `packed-refs.new`, which is one as well; packs that were never finished; crash reports. And the quarantine
 * directories of `objects/`.
 */
const STALE_FILE =
  /(?:\.lock|\/packed-refs\.new|\/objects\/(?:.*\/)?tmp_[^/]+|\/objects\/pack\/\.tmp-\d+-pack-[^/]+|\/fast_import_crash_\d+)$/
const QUARANTINE = /^(?:tmp_objdir-)?incoming-|^tmp_objdir-/

/** Removes what killed processes left behind: a lock would keep its ref from ever moving again. Returns how many. */
export async function clearStale(
  directory: string,
  { olderThanMs, now }: { olderThanMs: number; now: Date },
): Promise<number> {
  const isOld = async (path: string) => ((await statOrNull(path))?.mtimeMs ?? Infinity) < now.getTime() - olderThanMs
  const objects = await readdir(join(directory, 'objects'))
  const quarantines = objects.filter((name) => QUARANTINE.test(name)).map((name) => join(directory, 'objects', name))
  let count = 0
  for (const path of quarantines) {
    if (!(await isOld(path))) continue
    await rm(path, { recursive: true, force: true })
    count += 1
  }
  for (const path of (await filesBelow(directory)).filter((file) => STALE_FILE.test(file))) {
    if (quarantines.some((quarantine) => path.startsWith(`${quarantine}/`)) || !(await isOld(path))) continue
    await rm(path, { force: true })
    count += 1
  }
  return count + (await removeOrphanPacks(directory, now.getTime() - olderThanMs))
}
