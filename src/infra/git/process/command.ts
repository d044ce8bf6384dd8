/** Arguments and environment of git processes. Operands cannot become options; nothing of the environment is inherited. */
import { GitError } from '../model/errors.ts'
import type { Oid, RefName, TreePath } from '../model/names.ts'
import type { Quarantine } from '../model/types.ts'

/** The git subcommands that may be run. */
export type Subcommand =
  | 'archive'
  | 'blame'
  | 'bundle create'
  | 'cat-file'
  | 'clone'
  | 'commit-graph write'
  | 'fast-import'
  | 'diff-tree'
  | 'fetch'
  | 'for-each-ref'
  | 'grep'
  | 'fsck'
  | 'hash-object'
  | 'log'
  | 'ls-remote'
  | 'merge-base'
  | 'merge-tree'
  | 'mktag'
  | 'pack-refs'
  | 'receive-pack'
  | 'repack'
  | 'prune'
  | 'push'
  | 'rev-list'
  | 'shortlog'
  | 'update-ref'
  | 'upload-archive'
  | 'upload-pack'
  | 'version'

declare const operand: unique symbol
/** An argument that is not an option: built by `directoryOperand` or `urlOperand`, or a branded name. */
export type Operand = Oid | RefName | (string & { readonly [operand]: true })

export type Command = {
  subcommand: Subcommand
  /** Options: constants, or `--name=` followed by a branded value. */
  flags?: readonly `-${string}`[]
  /** Placed after `--end-of-options`, if the subcommand supports it. */
  operands?: readonly Operand[]
  /** Placed after `--`. */
  paths?: readonly TreePath[]
  /** Directory of the repository (`GIT_DIR`). */
  directory?: string
  /** Git configuration for this command only. */
  config?: readonly (readonly [key: string, value: string])[]
  environment?: Readonly<Record<string, string>>
  quarantine?: Quarantine
}

/** Subcommands without `--end-of-options`. Their only operand is an absolute directory or an id. */
const WITHOUT_END_OF_OPTIONS: ReadonlySet<Subcommand> = new Set([
  'blame',
  'grep',
  'mktag',
  'receive-pack',
  'upload-archive',
  'upload-pack',
  'version',
])

/** Turns an absolute path into an operand. @throws GitError `invalid_input` for other paths */
export function directoryOperand(path: string): Operand {
  if (!path.startsWith('/') || path.includes('\0')) throw new GitError('invalid_input', 'not an absolute path')
  return path as Operand
}

/**
 * Builds the argument list of a command.
 * @throws GitError `invalid_input` when a flag does not begin with `-`, or an operand does
 */
export function argumentsOf({ subcommand, flags = [], operands = [], paths }: Command): string[] {
  if (flags.some((flag) => !flag.startsWith('-') || flag.includes('\0'))) {
    throw new GitError('invalid_input', `illegal option of git ${subcommand}`)
  }
  if (operands.some((text) => text === '' || text.startsWith('-') || text.includes('\0'))) {
    throw new GitError('invalid_input', `illegal argument of git ${subcommand}`)
  }
  const separator = operands.length > 0 && !WITHOUT_END_OF_OPTIONS.has(subcommand) ? ['--end-of-options'] : []
  return [
    ...subcommand.split(' '),
    ...flags,
    ...separator,
    ...operands,
    ...(paths === undefined ? [] : ['--', ...paths]),
  ]
}

type Configuration = readonly (readonly [key: string, value: string])[]

/**
 * Variables that keep git from the settings of the machine and its user, and from prompts. Configuration is passed here and not as
 * arguments: git passes it on to its own child processes, and it is not visible in the process list.
 */
export function isolatedEnvironment(config: Configuration): Record<string, string> {
  const numbered = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    // With replacement refs, a pusher could show reviewers other content than what is built.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(numbered),
  }
}

/**
 * Builds the complete environment of a command.
 */
export function environmentOf(command: Command, base: BaseEnvironment): Record<string, string> {
  const isolated = isolatedEnvironment([...base.config, ...(command.config ?? [])])
  const environment: Record<string, string> = {
    ...isolated,
    PATH: base.searchPath,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    ...(command.directory === undefined ? {} : { GIT_DIR: command.directory }),
    ...command.environment,
  }
  if (command.quarantine !== undefined) {
    environment.GIT_OBJECT_DIRECTORY = command.quarantine.objectDirectory
    environment.GIT_ALTERNATE_OBJECT_DIRECTORIES = command.quarantine.alternateObjectDirectories
  }
  return environment
}

export type BaseEnvironment = { searchPath: string; config: Configuration }

/** The refs that clients can see and push. Git hides all others and rejects pushes to them one by one (contract 22 R4). */
export const VISIBLE_REFS = ['refs/heads', 'refs/tags', 'refs/notes'] as const

/** Whether clients can neither see nor push a ref: it is no branch, no tag and no note. */
export function isHiddenRef(ref: RefName): boolean {
  return !VISIBLE_REFS.some((prefix) => ref.startsWith(`${prefix}/`))
}

/**
 * Faults that histories of well-known projects contain (Linux, Rails, git) and that no version of git acts on. They are
 * reported to the pusher and accepted. Every other error of fsck refuses the push.
 */
const HARMLESS_FAULTS = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'] as const

/** The configuration of every command. It overrides the repository's own configuration file. */
export function baseConfig(hooksPath: string, durable = true): (readonly [string, string])[] {
  return [
    ['safe.directory', '*'],
    ['core.hooksPath', hooksPath],
    // Acknowledged pushes survive a power failure. Batched fsync is safe only on file systems of macOS and Windows.
    ['core.fsync', durable ? 'all' : 'none'],
    ['core.fsyncMethod', 'fsync'],
    ['core.filesRefLockTimeout', '2000'],
    ['core.packedRefsTimeout', '10000'],
    ['core.logAllRefUpdates', 'false'],
    // Larger blobs are streamed instead of loaded, which bounds the memory of a push.
    ['core.bigFileThreshold', '32m'],
    // For each thread. With a limit of a process's memory, the number of threads must not be that of the processors.
    ['pack.windowMemory', '128m'],
    ['pack.threads', '2'],
    ['pack.deltaCacheSize', '64m'],
    ['core.deltaBaseCacheLimit', '64m'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['protocol.version', '2'],
    ['transfer.fsckObjects', 'true'],
    ...HARMLESS_FAULTS.flatMap((id) => [
      [`receive.fsck.${id}`, 'warn'] as const,
      [`fetch.fsck.${id}`, 'warn'] as const,
      [`fsck.${id}`, 'warn'] as const,
    ]),
    ['transfer.hideRefs', 'refs'],
    ...VISIBLE_REFS.map((prefix) => ['transfer.hideRefs', `!${prefix}`] as const),
    ['receive.fsckObjects', 'true'],
    ['receive.autogc', 'false'],
    // Its only alternate during a push is the repository itself, whose refs it lists anyway.
    ['core.alternateRefsCommand', 'true'],
    ['receive.advertisePushOptions', 'true'],
    // The gate refuses deletion of the default branch, with a message.
    ['receive.denyDeleteCurrent', 'ignore'],
    ['uploadpack.allowFilter', 'true'],
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['fetch.recurseSubmodules', 'false'],
    ['submodule.recurse', 'false'],
  ]
}

/** Quotes a directory for a colon-separated list, where that is necessary. */
export function directoryList(directory: string): string {
  return /[:"\\\n]/.test(directory) ? JSON.stringify(directory) : directory
}
