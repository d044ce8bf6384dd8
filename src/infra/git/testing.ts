/** Helpers for the tests of this folder and of those above it: temporary storages, a real git client, the smallest HTTP server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { runProgram } from '../../testing/programs.ts'
import { type Git, openGit } from './git.ts'
import type { GitError } from './model/errors.ts'
import { defaultLimits } from './model/limits.ts'
import { branchRef, newDiskPath, type Oid, type RefName, treePath, ZERO_SHA1 } from './model/names.ts'
import type {
  GitLimits,
  GitOptions,
  Incoming,
  Person,
  PushGate,
  ReceivePackOptions,
  RefChange,
  TransferService,
} from './model/types.ts'
import { type RepositoryContext, sharedContext } from './objects/context.ts'
import { baseConfig } from './process/command.ts'
import { gitRunner, type Runner } from './process/runner.ts'
import { openSpawner, type RunningJob } from './process/spawner/spawner.ts'
import type { Repository } from './repository.ts'

export const ada: Person = { name: 'Ada', email: 'ada@example.com', date: '2024-02-03T04:05:06.000Z' }
export const main = branchRef('main') as RefName

export type TestGit = AsyncDisposable & {
  git: Git
  /** The storage's directory. */
  root: string
  /** A new, empty repository with the default branch `main`. */
  newRepository(): Promise<Repository>
  /** A directory of the test's own, for work trees. */
  newDirectory(): Promise<string>
}

/** Git with one temporary storage, which is deleted at the end of the test. */
export async function openTestGit(options: Partial<GitOptions> = {}): Promise<TestGit> {
  const root = await mkdtemp(join(tmpdir(), 'fennec-test-'))
  const git = await openGit({ storages: { default: join(root, 'storage') }, ...options })
  return {
    git,
    root: join(root, 'storage'),
    async newRepository() {
      const repository = git.repository({ storage: 'default', diskPath: newDiskPath() })
      await repository.init({ defaultBranch: main })
      return repository
    },
    newDirectory: () => mkdtemp(join(root, 'directory-')),
    async [Symbol.asyncDispose]() {
      await git.close()
      await rm(root, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

export type TestRunner = AsyncDisposable & {
  runner: Runner
  /** The subcommands that were started. */
  started: string[]
  jobs: RunningJob[]
  /** The process that starts git. */
  spawnerId(): number | undefined
  /** The context of a repository, with a pool and caches of this runner. */
  contextOf(repository: { directory: string }): RepositoryContext
}

/** Opens a runner that records which commands it starts. */
export async function openTestRunner(limits: Partial<GitLimits> = {}, hooksPath = '/nonexistent'): Promise<TestRunner> {
  const spawner = await openSpawner({ runtimeDirectory: tmpdir(), log: () => {} })
  const base = { searchPath: '/usr/local/bin:/usr/bin:/bin', config: baseConfig(hooksPath) }
  const runner = gitRunner(spawner, 'git', base, { ...defaultLimits, ...limits })
  const started: string[] = []
  const jobs: RunningJob[] = []
  const recording: Runner = {
    ...runner,
    run(command, options) {
      started.push(command.subcommand)
      return runner.run(command, options)
    },
    async stream(command, options) {
      started.push(command.subcommand)
      const job = await runner.stream(command, options)
      jobs.push(job)
      return job
    },
  }
  const shared = sharedContext(recording)
  return {
    started,
    jobs,
    spawnerId: spawner.pid,
    runner: recording,
    contextOf: ({ directory }) => ({ ...shared, directory }),
    async [Symbol.asyncDispose]() {
      shared.pool.close()
      await spawner.close()
    },
  }
}

/** Waits for the end of a process whose output is no longer read. It is ended, unless it notices that earlier. */
export async function endsEarly({ exit }: RunningJob): Promise<void> {
  const ending = await exit.catch((error: GitError) => error)
  if ('code' in ending ? ending.code !== 'aborted' : ending.exitCode === 0) {
    throw new Error(`the process was not ended: ${JSON.stringify(ending)}`)
  }
}

/** Writes objects and admits each at once, without a gate. */
export function admitting(repository: Repository): Omit<Incoming, 'quarantine' | 'admit'> {
  const admitted = <Result>(write: (incoming: Incoming) => Promise<Result>) =>
    repository.withIncoming(async (incoming) => {
      const result = await write(incoming)
      await incoming.admit()
      return result
    })
  return {
    createCommit: (commit) => admitted((incoming) => incoming.createCommit(commit)),
    createTagObject: (tag) => admitted((incoming) => incoming.createTagObject(tag)),
    mergeTrees: (sides) => admitted((incoming) => incoming.mergeTrees(sides)),
    mergeHeads: (sides) => admitted((incoming) => incoming.mergeHeads(sides)),
    replay: (given) => admitted((incoming) => incoming.replay(given)),
    commitTree: (commit) => admitted((incoming) => incoming.commitTree(commit)),
  }
}

/** Writes files in one commit on a branch; makes the branch when it is not there. */
export async function commitFiles(
  repository: Repository,
  files: Record<string, string | Buffer | null>,
  { branch = main, parent, message = 'Change files' }: { branch?: RefName; parent?: Oid | null; message?: string } = {},
): Promise<Oid> {
  const current = (await repository.refs(`before ${branch} ${message} ${Object.keys(files)} ${counter()}`)).branches
  const tip = current.find(({ name }) => `refs/heads/${name}` === branch)?.oid ?? null
  const changes = Object.entries(files).map(([path, content]) => {
    const file = treePath(path)
    if (file === null) throw new Error(`illegal path ${path}`)
    return { path: file, content: typeof content === 'string' ? Buffer.from(content) : content }
  })
  const start = parent === undefined ? tip : parent
  const oid = await admitting(repository).createCommit({
    parent: start,
    author: ada,
    committer: ada,
    message,
    changes,
  })
  await repository.updateRefs([{ ref: branch, old: tip ?? ZERO_SHA1, new: oid }])
  return oid
}

let counted = 0
function counter(): number {
  counted += 1
  return counted
}

export type ClientResult = { exitCode: number; stdout: string; stderr: string }

/** Runs the real git client with a clean configuration; never throws. */
export async function runGit(
  args: readonly string[],
  options: { cwd?: string; environment?: Record<string, string>; input?: string | Buffer; signal?: AbortSignal } = {},
): Promise<ClientResult> {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    // Git starts two more processes for it after each commit and fetch.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'maintenance.auto',
    GIT_CONFIG_VALUE_0: 'false',
    GIT_AUTHOR_NAME: ada.name,
    GIT_AUTHOR_EMAIL: ada.email,
    GIT_COMMITTER_NAME: ada.name,
    GIT_COMMITTER_EMAIL: ada.email,
    LC_ALL: 'C',
    ...options.environment,
  }
  const { cwd = '/', signal, input } = options
  const program = { binary: 'git', parameters: [...args], cwd, env, input }
  const { code, ...output } = await runProgram(program, signal)
  return { exitCode: code, ...output }
}

/** As `runGit`, but a failure is an error. Returns what it printed. */
export async function git(...[args, options]: Parameters<typeof runGit>): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit(args, options)
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${exitCode}: ${stderr}`)
  return stdout.trim()
}

export type TestServer = AsyncDisposable & {
  /** The address to clone from. */
  url: string
  /** The outcome of each push so far. */
  pushes: (undefined | Error)[]
  /** Requests that are being served. */
  active(): number
}

/** A gate that accepts everything, and records the changes. */
export function openGate(overrides: Partial<PushGate> = {}): PushGate & { accepted: RefChange[] } {
  const accepted: RefChange[] = []
  return {
    accepted,
    preReceive: async () => ({ accept: true }),
    postReceive: async (changes) => {
      accepted.push(...changes)
      return []
    },
    ...overrides,
  }
}

/** Serves one repository over smart HTTP, as simply as possible. */
export async function serve(
  repository: Repository,
  gate: PushGate,
  options: Partial<ReceivePackOptions> = {},
): Promise<TestServer> {
  const pushes: TestServer['pushes'] = []
  let active = 0
  const server = createServer((request, response) => {
    active += 1
    answer(repository, gate, options, pushes, request, response)
      .catch(() => response.destroy())
      .finally(() => {
        active -= 1
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/repository.git`,
    pushes,
    active: () => active,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(
  repository: Repository,
  gate: PushGate,
  options: Partial<ReceivePackOptions>,
  pushes: TestServer['pushes'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const protocol = request.headers['git-protocol']?.toString()
  const service = (url.searchParams.get('service') ?? url.pathname.split('/').at(-1) ?? '').replace('git-', '')
  response.setHeader('Cache-Control', 'no-cache')
  if (url.pathname.endsWith('/info/refs')) {
    response.setHeader('Content-Type', `application/x-git-${service}-advertisement`)
    await repository.advertise({ service: service as TransferService, protocol }, response)
    return
  }
  response.setHeader('Content-Type', `application/x-git-${service}-result`)
  const input = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
  if (service === 'upload-pack') await repository.uploadPack({ stateless: true, protocol }, input, response)
  else {
    const push = repository.receivePack({ stateless: true, protocol, gate, ...options }, input, response)
    pushes.push((await push.catch((error: Error) => error)) ?? undefined)
  }
}

/** Waits for a condition that becomes true by itself. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('the condition did not come true')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
