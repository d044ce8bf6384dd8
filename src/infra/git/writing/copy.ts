/** Copies repositories within this server, also from one file system to another. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn, syncFiles, syncTree, writeDurably } from '../../files/index.ts'
import { GitError } from '../model/errors.ts'
import { branchName, type RefName } from '../model/names.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { type Command, directoryOperand } from '../process/command.ts'
import { readHead } from '../refs/head-file.ts'
import { configFile, makeBeside, objectFormatOf, repositoryExists, repositoryInTheWay } from './create.ts'
import { QUARANTINE } from './incoming.ts'

/** A clone of files fails, or misses some, when the source is repacked meanwhile; the next attempt finds the new packs. */
const COPY_ATTEMPTS = 4
const PACK_INDEX = /^pack-[0-9a-f]+\.idx$/

type Source = { directory: string }
type Runner = RepositoryContext['runner']

/**
 * Creates a repository as a copy of another one's branches and tags. Objects are hard-linked if the file system allows it; a
 * single branch is packed anew, without the objects of others.
 * @throws GitError `repository_exists`, `repository_missing`
 */
export async function copyRepository(
  { runner, directory }: RepositoryContext,
  { directory: source }: Source,
  { branch, signal }: { branch?: RefName; signal?: AbortSignal } = {},
): Promise<void> {
  const name = branch === undefined ? null : branchName(branch)
  if (branch !== undefined && name === null) throw new GitError('invalid_input', `not a branch: ${branch}`)
  // Without `--local` git links objects where it can, and copies them from another file system.
  const flags = name === null ? [] : (['--no-local', '--no-tags', '--single-branch', `--branch=${name}`] as const)
  await make(runner, source, directory, { head: branch, flags, packedAnew: name !== null, signal }, async (made) => {
    // The graph may be newer than the copied objects, and name commits that were not copied.
    for (const graph of ['commit-graph', 'commit-graphs']) {
      await rm(join(made, 'objects/info', graph), { recursive: true, force: true })
    }
  })
}

/**
 * Creates a repository as a complete copy of another one: all refs, HEAD, all objects with their packs, bitmaps and commit-graph, and
 * the object format, which is the only setting in a repository's configuration. Appears at its path when it is complete and durable.
 * Meanwhile no ref of the source may move; pushes that wait in quarantine may go on, and are not copied.
 * @param hardLinks whether object files may be shared with the source where both are in one file system
 * @throws GitError `repository_exists`, `repository_missing`, `aborted`
 */
export async function mirrorRepository(
  { runner, directory }: RepositoryContext,
  { directory: source }: Source,
  { hardLinks = true, signal }: { hardLinks?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  const flags = ['--mirror', ...(hardLinks ? [] : (['--no-hardlinks'] as const))] as const
  await make(runner, source, directory, { flags, packedAnew: false, signal }, async (made) => {
    for (const name of await namesIn(join(made, 'objects'))) {
      if (QUARANTINE.test(name)) await rm(join(made, 'objects', name), { recursive: true, force: true })
    }
  })
}

type Copying = {
  /** Default: that of the source. */
  head?: RefName | undefined
  flags: readonly `-${string}`[]
  /** Whether git sends the objects, and does not copy their files. */
  packedAnew: boolean
  signal: AbortSignal | undefined
}

/** Clones a repository beside its path, completes it, and moves it there. */
async function make(
  runner: Runner,
  source: string,
  directory: string,
  { head, flags, packedAnew, signal }: Copying,
  complete: (made: string) => Promise<void>,
): Promise<void> {
  if (await repositoryExists(directory)) throw repositoryInTheWay(directory)
  const [target, format] = [head ?? (await readHead(source)), await objectFormatOf(source)]
  await makeBeside(
    directory,
    async (made) => {
      await clone(runner, source, made, { flags, packedAnew, signal })
      // Removes the source's directory, which `clone` has written.
      await writeDurably(join(made, 'config'), configFile(format))
      await writeDurably(join(made, 'HEAD'), `ref: ${target}\n`)
      await mkdir(join(made, 'refs/tags'), { recursive: true })
      await complete(made)
      // `clone` does not sync the files that it copies.
      await syncFiles(made)
      await syncTree(made)
    },
    'throw',
  )
}

async function clone(
  runner: Runner,
  source: string,
  made: string,
  { flags, packedAnew, signal }: Copying,
): Promise<void> {
  const command: Command = {
    subcommand: 'clone',
    flags: ['--bare', '--quiet', '--template=', ...flags],
    operands: [directoryOperand(source), directoryOperand(made)],
    environment: { GIT_ALLOW_PROTOCOL: 'file' },
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runner.run(command, { queue: 'transfer', signal })
      if (!packedAnew) await expectPacks(source, made)
      return
    } catch (error) {
      const final = attempt === COPY_ATTEMPTS || !(error instanceof GitError && error.code === 'command_failed')
      if (final) throw error
      await rm(made, { recursive: true, force: true })
      await mkdir(made)
    }
  }
}

/**
 * Checks that a copy of files has each pack that the source has now. Git skips a file that vanishes while it lists a directory, so
 * that the copy would lack the objects of a pack that was replaced. An object that is in no pack now was a loose one all the time, and
 * was listed.
 * @throws GitError `command_failed`
 */
async function expectPacks(source: string, made: string): Promise<void> {
  const copied = new Set(await namesIn(join(made, 'objects/pack')))
  const packs = (await namesIn(join(source, 'objects/pack'))).filter((name) => PACK_INDEX.test(name))
  const missing = packs.find((name) => !copied.has(name))
  if (missing) throw new GitError('command_failed', `the repository was repacked while it was copied: ${missing}`)
}
