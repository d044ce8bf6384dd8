/** Differences between trees. Attributes and configuration of a repository cannot make git run another program. */

import type { Readable } from 'node:stream'
import { type Oid, parseOid } from '../model/names.ts'
import type { ChangedPath, DiffOptions, FileDiff } from '../model/reading-types.ts'
import type { ForCaller, ReadOptions } from '../model/types.ts'
import type { ObjectReader } from '../objects/cat-file-pool.ts'
import { type RepositoryContext, withReader } from '../objects/context.ts'
import { emptyTree } from '../objects/tree-object.ts'
import { pacedStream } from '../process/client-watch.ts'
import type { Command } from '../process/command.ts'
import { LITERAL_PATHS, missingOr, NUL, outputOf, outputOfJob, recordsOf } from '../process/output.ts'
import { diffParser, parseRawChange, type RawChange } from './diff-parser.ts'

const PATCH_BYTES = 200 * 1024
const FILES = 1_000
const CONTEXT_LINES = 3
const KEPT_BYTES = 5 * 1024 * 1024
const READ_BYTES = 64 * 1024 * 1024

/** The options of all differences: git's own algorithm, never a configured program. */
export const CONTENT_FLAGS = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=none',
  '--submodule=short',
] as const

/**
 * Similarity of 50 % makes a rename. With more candidates, only renames without changes or with the same base name are found:
 * comparing 400 with 400 takes 20 seconds.
 */
export const RENAME_FLAGS = ['--find-renames=50%', '-l100'] as const

/** Larger files are not compared, in bytes: very short lines take eighty times their size in git's memory. */
const COMPARED_BYTES = 2 * 1024 * 1024
export const CONTENT_CONFIG = [['core.bigFileThreshold', String(COMPARED_BYTES)]] as const

/**
 * Compares two commits or trees, with rename detection, in git's order; null is the empty tree.
 * @throws GitError `object_missing`
 */
export async function diff(
  repository: RepositoryContext,
  from: Oid | null,
  to: Oid | null,
  options: DiffOptions = {},
): Promise<FileDiff[]> {
  const like = from ?? to
  if (like === null || from === to) return []
  const { quarantine, maxFiles = FILES, maxPatchBytes = PATCH_BYTES, maxLines = Number.POSITIVE_INFINITY } = options
  const command: Command = {
    subcommand: 'diff-tree',
    flags: [
      '-r',
      '-z',
      '--raw',
      '--patch',
      '--full-index',
      `--unified=${CONTEXT_LINES}`,
      ...RENAME_FLAGS,
      ...CONTENT_FLAGS,
    ],
    operands: [from ?? emptyTree(like), to ?? emptyTree(like)],
    paths: options.paths,
    environment: LITERAL_PATHS,
    config: CONTENT_CONFIG,
    directory: repository.directory,
    quarantine,
  }
  const parser = diffParser({
    maxFiles,
    maxPatchBytes,
    maxLines,
    maxKeptBytes: KEPT_BYTES,
    maxReadBytes: READ_BYTES,
  })
  for await (const chunk of outputOf(repository.runner, command)) if (!parser.push(chunk)) break
  const files = parser.files()
  await markLarge(repository, files, options)
  return files
}

/**
 * Streams the differences between two commits or trees as text, as `git diff` prints them; null is the empty tree. Fails
 * with GitError `timeout` when it is not read for `clientIdleMs`.
 */
export async function patchText(
  { runner, directory }: RepositoryContext,
  from: Oid | null,
  to: Oid,
  { signal, caller }: { signal?: AbortSignal } & ForCaller = {},
): Promise<Readable> {
  const command: Command = {
    subcommand: 'diff-tree',
    flags: ['-r', '--patch', `--unified=${CONTEXT_LINES}`, ...RENAME_FLAGS, ...CONTENT_FLAGS],
    operands: [from ?? emptyTree(to), to],
    config: CONTENT_CONFIG,
    directory,
  }
  const job = await runner.stream(command, { stdin: 'none', queue: 'transfer', signal, caller })
  const content = outputOfJob(job, (exit) => {
    if (exit.exitCode !== 0) throw missingOr(command, exit)
  })
  return pacedStream(content, runner.limits.clientIdleMs, job.kill)
}

/** Git reports files above its size limit as binary. */
async function markLarge(
  context: RepositoryContext,
  files: readonly FileDiff[],
  { quarantine }: ReadOptions,
): Promise<void> {
  const binaries = files.filter(({ binary }) => binary)
  if (binaries.length === 0) return
  const isLarge = async (reader: ObjectReader, oid: Oid | null) =>
    oid !== null && ((await reader.info(oid))?.sizeBytes ?? 0) > COMPARED_BYTES
  const mark = async (reader: ObjectReader, file: FileDiff) => {
    const [oldIsLarge, newIsLarge] = await Promise.all([isLarge(reader, file.oldOid), isLarge(reader, file.newOid)])
    file.tooLarge = oldIsLarge || newIsLarge
    file.binary = !file.tooLarge
  }
  await withReader(context, quarantine, (reader) => Promise.all(binaries.map((file) => mark(reader, file))))
}

/**
 * Yields changed paths in git's order; a rename is a removal and an addition. The reader must not wait for another command.
 * @throws GitError `object_missing`
 */
export async function* changedPaths(
  { runner, directory }: RepositoryContext,
  from: Oid | null,
  to: Oid,
  { quarantine }: ReadOptions = {},
): AsyncGenerator<ChangedPath> {
  const flags = ['-r', '-z', '--raw', '--no-abbrev', '--no-renames', ...CONTENT_FLAGS] as const
  const operands = [from ?? emptyTree(to), to]
  const command: Command = { subcommand: 'diff-tree', flags, operands, directory, quarantine }
  for await (const { change } of changesIn(recordsOf(runner, command, { end: NUL }))) yield change
}

/** Parses the output of `diff-tree --raw -z --no-renames`. `commit` is the last commit that the output has named. */
export async function* changesIn(
  fields: AsyncIterable<Buffer>,
): AsyncGenerator<{ commit: Oid | null; change: ChangedPath }> {
  let commit: Oid | null = null
  let raw: RawChange | null = null
  for await (const field of fields) {
    if (raw !== null) {
      yield { commit, change: changedPath(raw, field) }
      raw = null
      continue
    }
    const text = field.toString('latin1')
    const oid = parseOid(text)
    if (oid === null) raw = parseRawChange(text)
    else commit = oid
  }
}

function changedPath({ oldMode, newMode, oldOid, newOid }: RawChange, name: Buffer): ChangedPath {
  const status = oldOid === null ? 'added' : newOid === null ? 'deleted' : 'modified'
  return { status, path: name.toString('utf8'), oldMode, newMode, oldOid, newOid }
}
