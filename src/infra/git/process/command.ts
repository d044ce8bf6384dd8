/** What a git process is given: arguments that cannot turn into options, and an environment that holds nothing else. */
import { GitError } from '../model/errors.ts'
import type { Oid, RefName, TreePath } from '../model/names.ts'
import type { Quarantine } from '../model/types.ts'

/** The subcommands that this mechanism uses, and no other. */
export type Subcommand =
  | 'archive'
  | 'blame'
  | 'cat-file'
  | 'clone'
  | 'commit-graph write'
  | 'fast-import'
  | 'diff-tree'
  | 'fetch'
  | 'for-each-ref'
  | 'fsck'
  | 'hash-object'
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
/** An argument that is no option: built by `directoryOperand`, `urlOperand`, … or a name that is branded already. */
export type Operand = Oid | RefName | (string & { readonly [operand]: true })

export type Command = {
  subcommand: Subcommand
  /** Options. Fixed text of this folder, or `--name=` followed by a branded value. */
  flags?: readonly `-${string}`[]
  /** Come after `--end-of-options`, where the subcommand knows it. */
  operands?: readonly Operand[]
  /** Come after `--`, where nothing is an option any more. */
  paths?: readonly TreePath[]
  /** Refs of the repository at this directory; without it the command has no repository. */
  directory?: string
  /** Git configuration for this command alone. */
  config?: readonly (readonly [key: string, value: string])[]
  environment?: Readonly<Record<string, string>>
  quarantine?: Quarantine
}

/** `upload-pack` and `receive-pack` do not know `--end-of-options`; their one operand is an absolute directory. Nor does `blame`; its is an id. */
const WITHOUT_END_OF_OPTIONS: ReadonlySet<Subcommand> = new Set([
  'blame',
  'mktag',
  'receive-pack',
  'upload-archive',
  'upload-pack',
  'version',
])

/** An absolute path as an operand. @throws GitError `invalid_input` */
export function directoryOperand(path: string): Operand {
  if (!path.startsWith('/') || path.includes('\0')) throw new GitError('invalid_input', 'not an absolute path')
  return path as Operand
}

/**
 * The argument list of a command.
 * @throws GitError `invalid_input` when a flag is no flag or an operand could be taken for one
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

/**
 * The whole environment of a command (nothing is inherited). Configuration is handed over here, not in the argument list: it is passed on to the
 * processes that git starts, and does not show in the process list.
 */
export function environmentOf(command: Command, base: BaseEnvironment): Record<string, string> {
  const config = [...base.config, ...(command.config ?? [])]
  const environment: Record<string, string> = {
    PATH: base.searchPath,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    // Replacement refs would let a pusher show reviewers other contents than what is built.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    ...(command.directory === undefined ? {} : { GIT_DIR: command.directory }),
    ...command.environment,
    GIT_CONFIG_COUNT: String(config.length),
  }
  config.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key
    environment[`GIT_CONFIG_VALUE_${index}`] = value
  })
  if (command.quarantine !== undefined) {
    environment.GIT_OBJECT_DIRECTORY = command.quarantine.objectDirectory
    environment.GIT_ALTERNATE_OBJECT_DIRECTORIES = command.quarantine.alternateObjectDirectories
  }
  return environment
}

export type BaseEnvironment = { searchPath: string; config: readonly (readonly [key: string, value: string])[] }

/** The refs that clients can see and push. Git hides all others and rejects pushes to them one by one (contract 22 R4). */
const VISIBLE_REFS = ['refs/heads', 'refs/tags', 'refs/notes'] as const

/** Whether clients can neither see nor push a ref: it is no branch, no tag and no note. */
export function isHiddenRef(ref: RefName): boolean {
  return !VISIBLE_REFS.some((prefix) => ref.startsWith(`${prefix}/`))
}

/**
 * Faults that old but honest histories have (the Linux kernel, Rails and git itself among them) and that no git version acts on: they are
 * reported to the pusher and accepted. Everything else that fsck calls an error refuses the push.
 */
const HARMLESS_FAULTS = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'] as const

/** The configuration that every command gets, whatever the repository's own file says. */
export function baseConfig(hooksPath: string): (readonly [string, string])[] {
  return [
    ['safe.directory', '*'],
    ['core.hooksPath', hooksPath],
    // What is acknowledged survives a power cut. Batched fsync is only safe on file systems of macOS and Windows.
    ['core.fsync', 'all'],
    ['core.fsyncMethod', 'fsync'],
    ['core.filesRefLockTimeout', '2000'],
    ['core.packedRefsTimeout', '10000'],
    ['core.logAllRefUpdates', 'false'],
    // Above this size blobs are streamed instead of held, which bounds the memory of a push.
    ['core.bigFileThreshold', '32m'],
    ['pack.windowMemory', '128m'],
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
    ['receive.advertisePushOptions', 'true'],
    // Deleting the default branch is decided, and explained, by the gate.
    ['receive.denyDeleteCurrent', 'ignore'],
    ['uploadpack.allowFilter', 'true'],
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['fetch.recurseSubmodules', 'false'],
    ['submodule.recurse', 'false'],
  ]
}

/** A directory as git reads it in a list of directories: in quotes where it would not stand for itself. */
export function directoryList(directory: string): string {
  return /[:"\\\n]/.test(directory) ? JSON.stringify(directory) : directory
}
