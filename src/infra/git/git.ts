import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { optimizer } from './maintenance/optimize.ts'
import { GitError } from './model/errors.ts'
import { defaultLimits } from './model/limits.ts'
import { type DiskPath, diskPath } from './model/names.ts'
import type { GitOptions, RepositoryLocation } from './model/types.ts'
import { sharedContext } from './objects/context.ts'
import { baseConfig } from './process/command.ts'
import { gitRunner } from './process/runner.ts'
import { openSpawner } from './process/spawner/spawner.ts'
import { requireVersion } from './process/version.ts'
import { refCache } from './refs/refs.ts'
import { type Repository, repositoryAt } from './repository.ts'
import { checkHooks } from './transport/receive-pack.ts'
import { runningPushes } from './transport/running-pushes.ts'
import { repositoriesIn, sweepStorage } from './writing/create.ts'

const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

/** How long pushes may take to end when git is closed, in milliseconds. */
const CLOSE_PUSHES_MS = 15_000

export type Git = {
  /**
   * Returns the repository at a path, which need not exist. Does no I/O. Calls with the same path share pool and caches.
   * @throws GitError `unknown_storage`
   */
  repository(location: RepositoryLocation): Repository
  /** Yields the path of every repository on disk in a storage. @throws GitError `unknown_storage` */
  repositoriesIn(storage: string): AsyncIterable<DiskPath>
  /** Deletes half-created and half-removed repositories that crashes left in a storage. @returns their number */
  sweep(storage: string, age: { olderThanMs: number; now: Date }): Promise<number>
  /** Names what to wait for before the locks of killed processes are removed: other nodes that share the storages. */
  waitForOtherWriters(wait: (location: RepositoryLocation) => Promise<void>): void
  /** How many git commands have been started. Each costs some milliseconds of processor time. */
  startedCommands(): number
  /** Whether git commands can be started now. */
  isAvailable(): boolean
  /**
   * Ends all process groups, and removes the sockets. Pushes that were accepted are completed first, the others are refused and cleaned
   * up, for at most 15 seconds. Other running commands fail with GitError `closed`.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Checks the git binary and the hooks, and starts the process that owns all git processes, in the background.
 * @throws GitError `unsupported_version` when git is missing or too old (`requireVersion`); `invalid_input` when a hook cannot be run,
 * the directory of a storage is not absolute, or the path of the runtime directory is too long
 */
export async function openGit(options: GitOptions): Promise<Git> {
  const { storages, binary = 'git', searchPath = SEARCH_PATH, runtimeDirectory = tmpdir(), log = () => {} } = options
  const { requireStorage = async () => {} } = options
  for (const [name, root] of Object.entries(storages)) {
    if (!isAbsolute(root)) throw new GitError('invalid_input', `the directory of storage ${name} is not absolute`)
  }
  const hooksPath = fileURLToPath(new URL('./hooks', import.meta.url))
  await Promise.all([checkVersion(binary, searchPath), checkHooks(hooksPath)])
  const limits = { ...defaultLimits, ...options.limits }
  const spawner = await openSpawner({ runtimeDirectory, log, memoryBytes: limits.processMemoryBytes })
  const runner = gitRunner(spawner, binary, { searchPath, config: baseConfig(hooksPath, options.durable) }, limits)
  const context = sharedContext(runner, log)
  const { pool, writers } = context
  const own = { refs: refCache(context), optimizer: optimizer(context), pushes: runningPushes() }
  const shared = { ...context, ...own, hooksPath, log, requireStorage }
  const rootOf = (storage: string): string => {
    const root = Object.hasOwn(storages, storage) ? storages[storage] : undefined
    if (root === undefined) throw new GitError('unknown_storage', `unknown storage: ${storage}`)
    return root
  }
  const locationOf = (directory: string): RepositoryLocation => {
    const storage = Object.keys(storages).find((name) => directory.startsWith(join(rootOf(name), '/')))
    const path = storage === undefined ? null : diskPath(relative(rootOf(storage), directory))
    if (storage === undefined || path === null) throw new GitError('unknown_storage', `in no storage: ${directory}`)
    return { storage, diskPath: path }
  }
  async function close(): Promise<void> {
    await own.pushes.close(CLOSE_PUSHES_MS)
    pool.close()
    await spawner.close()
  }
  return {
    repository: (location) => repositoryAt(shared, location, join(rootOf(location.storage), location.diskPath)),
    repositoriesIn: (storage) => repositoriesIn(rootOf(storage)),
    sweep: async (storage, age) => sweepStorage(rootOf(storage), age),
    waitForOtherWriters: (wait) => writers.waitForOthers(async (directory) => wait(locationOf(directory))),
    startedCommands: () => spawner.count(),
    isAvailable: () => spawner.isThere(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Runs git directly, before the spawner is started: this process is still small. @throws GitError `unsupported_version` */
async function checkVersion(binary: string, searchPath: string): Promise<void> {
  const run = promisify(execFile)
  const { stdout } = await run(binary, ['version'], { env: { PATH: searchPath } }).catch((cause) => {
    throw new GitError('unsupported_version', `git could not be run (${binary} in ${searchPath})`, { cause })
  })
  requireVersion(stdout)
}
