/** Merges trees without a work tree, and writes commits of existing trees. Moves no ref. */
import { createHash } from 'node:crypto'
import { mergeBase } from '../history/log.ts'
import { GitError } from '../model/errors.ts'
import { type Oid, parseOid, ZERO_SHA1 } from '../model/names.ts'
import type { MergeResult, MergeSides, NewTreeCommit, ObjectType, Quarantine } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { objectInfo, readCommits } from '../objects/objects.ts'
import { emptyTree } from '../objects/tree-object.ts'
import type { Command } from '../process/command.ts'
import { failure } from '../process/runner.ts'
import { largeConflicts } from './merge-size.ts'
import { identity } from './write.ts'

/** The author of internal commits. Constant, so that the same merge writes the same commits. */
const INTERNAL_AUTHOR = 'fennec <> 0 +0000'
/** The maximal number of files per side for inexact rename detection. */
const RENAME_LIMIT = 1_000

/**
 * Attributes do not affect merges: versions of git read different attributes in a bare repository, and an attribute can name a
 * program.
 */
const MERGE_CONFIG: Command['config'] = [
  ['merge.renameLimit', String(RENAME_LIMIT)],
  ['merge.default', 'text'],
  ['merge.renormalize', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['attr.tree', emptyTree(ZERO_SHA1)],
]

/**
 * Merges three trees, given as commits or trees; null is the empty tree. Writes the result into the quarantine. A file above
 * 8 MiB that both sides have changed is a conflict.
 *
 * `merge-tree` determines the base itself (an option for it needs git 2.40), so internal commits with that base are written.
 * They are admitted with the merge, but unreachable, and maintenance deletes them.
 * @throws GitError `object_missing` when an argument is not a commit or tree of the repository
 */
export async function mergeTrees(
  context: RepositoryContext,
  sides: MergeSides,
  quarantine: Quarantine,
): Promise<MergeResult> {
  const tree = (oid: Oid | null) => (oid === null ? emptyTree(sides.ours) : treeOf(context, oid))
  const [base, ours, theirs] = await Promise.all([tree(sides.base), tree(sides.ours), tree(sides.theirs)])
  return mergeThree(context, { base, ours, theirs }, quarantine)
}

/**
 * As `mergeTrees`, for the ids of three trees.
 * @param options.inQuarantine whether `ours` may be in the quarantine; otherwise all three are in the repository
 */
export async function mergeThree(
  context: RepositoryContext,
  { base, ours, theirs }: Sides & { base: Oid },
  quarantine: Quarantine,
  { inQuarantine = false }: { inQuarantine?: boolean } = {},
): Promise<MergeResult> {
  if (theirs === base || theirs === ours) return { treeOid: ours }
  if (ours === base) return { treeOid: theirs }
  const [conflicts, commits] = await Promise.all([
    largeConflicts(context, { base, ours, theirs }, inQuarantine ? quarantine : undefined),
    syntheticHistory(context, { base, ours, theirs }, quarantine),
  ])
  return conflicts.length > 0 ? { conflicts } : mergeCommits(context, commits, quarantine)
}

/**
 * Merges two histories as `git merge` does, with all of their common ancestors as the base. Histories without a common
 * ancestor conflict, without a path.
 * @throws GitError `object_missing` when an argument is not a commit of the repository
 */
export async function mergeHeads(
  context: RepositoryContext,
  { ours, theirs }: Sides,
  quarantine: Quarantine,
): Promise<MergeResult> {
  const base = await mergeBase(context, [ours, theirs])
  if (base === null) return { conflicts: [] }
  const [baseTree, ourTree, theirTree] = await Promise.all([base, ours, theirs].map((oid) => treeOf(context, oid)))
  if (base === theirs) return { treeOid: ourTree! }
  if (base === ours) return { treeOid: theirTree! }
  const conflicts = await largeConflicts(context, { base: baseTree!, ours: ourTree!, theirs: theirTree! })
  return conflicts.length > 0 ? { conflicts } : mergeCommits(context, { ours, theirs }, quarantine)
}

type Sides = { ours: Oid; theirs: Oid }

/** Writes two commits whose only common ancestor is a commit of the base. */
async function syntheticHistory(
  context: RepositoryContext,
  { base, ours, theirs }: Sides & { base: Oid },
  quarantine: Quarantine,
): Promise<Sides> {
  const root = syntheticCommit(base, null)
  const rootOid = oidOf('commit', root, base)
  const contents = [root, syntheticCommit(ours, rootOid), syntheticCommit(theirs, rootOid)]
  const oids = await Promise.all(contents.map((content) => writeObject(context, 'commit', content, quarantine)))
  return { ours: oids[1]!, theirs: oids[2]! }
}

async function mergeCommits(
  { runner, directory }: RepositoryContext,
  { ours, theirs }: Sides,
  quarantine: Quarantine,
): Promise<MergeResult> {
  const command: Command = {
    subcommand: 'merge-tree',
    flags: ['--write-tree', '--no-messages', '--name-only', '-z'],
    operands: [ours, theirs],
    directory,
    quarantine,
    config: MERGE_CONFIG,
  }
  const exit = await runner.run(command, { expectedExitCodes: [0, 1] })
  // The tree is printed first, even if it contains conflict markers.
  const [tree = '', ...paths] = exit.stdout.toString('utf8').split('\0')
  const treeOid = parseOid(tree)
  if (treeOid === null) throw failure(command, exit)
  if (exit.exitCode === 0) return { treeOid }
  const names = paths.filter((path) => path !== '').map((path) => withoutSide(path, [ours, theirs]))
  return { conflicts: [...new Set(names)] }
}

/** When a file and a directory have the same name, git names one of them `name~<commit>`. */
function withoutSide(path: string, sides: readonly Oid[]): string {
  const [name, oid] = [path.replace(SIDE, ''), SIDE.exec(path)?.[1]]
  return sides.some((side) => side === oid) ? name : path
}

const SIDE = /~([0-9a-f]{40}|[0-9a-f]{64})(?:_\d+)?$/

/** The id of a tree, or of a commit's tree. */
async function treeOf(context: RepositoryContext, oid: Oid): Promise<Oid> {
  const commit = (await readCommits(context, [oid])).get(oid)
  if (commit !== undefined) return commit.treeOid
  await expectType(context, oid, 'tree')
  return oid
}

async function expectType(
  context: RepositoryContext,
  oid: Oid,
  type: ObjectType,
  quarantine?: Quarantine,
): Promise<void> {
  const info = (await objectInfo(context, oid)) ?? (quarantine && (await objectInfo(context, oid, { quarantine })))
  if (info?.type !== type) throw new GitError('object_missing', `no ${type}: ${oid}`)
}

function syntheticCommit(tree: Oid, parent: Oid | null): string {
  const lines = [`tree ${tree}`, ...(parent === null ? [] : [`parent ${parent}`])]
  return `${[...lines, `author ${INTERNAL_AUTHOR}`, `committer ${INTERNAL_AUTHOR}`].join('\n')}\n\n`
}

/** Computes the id of an object, in the format of another id. */
function oidOf(type: ObjectType, content: string, like: Oid): Oid {
  const algorithm = like.length === ZERO_SHA1.length ? 'sha1' : 'sha256'
  const header = `${type} ${Buffer.byteLength(content)}\0`
  return createHash(algorithm).update(header).update(content).digest('hex') as Oid
}

async function writeObject(
  { runner, directory }: RepositoryContext,
  type: ObjectType,
  content: string,
  quarantine: Quarantine,
): Promise<Oid> {
  const flags = [`-t${type}`, '-w', '--stdin'] as const
  const command: Command = { subcommand: 'hash-object', flags, directory, quarantine }
  const exit = await runner.run(command, { input: content })
  const oid = parseOid(exit.stdout.toString('latin1').trim())
  if (oid === null) throw failure(command, exit)
  return oid
}

/**
 * Writes a commit of a tree in the repository or the same quarantine. The message is stored unchanged; duplicate parents count
 * once.
 * @throws GitError `object_missing` when the tree is not a tree or a parent not a commit; `invalid_input` for a NUL in the message
 * or an invalid date
 */
export async function commitTree(
  context: RepositoryContext,
  { tree, parents, author, committer, message }: NewTreeCommit,
  quarantine: Quarantine,
): Promise<Oid> {
  if (message.includes('\0')) throw new GitError('invalid_input', 'a commit message must not contain NUL')
  const parentOids = [...new Set(parents)]
  const lines = [
    `tree ${tree}`,
    ...parentOids.map((oid) => `parent ${oid}`),
    `author ${identity(author)}`,
    `committer ${identity(committer)}`,
  ]
  await Promise.all([
    expectType(context, tree, 'tree', quarantine),
    ...parentOids.map((oid) => expectType(context, oid, 'commit', quarantine)),
  ])
  // Git reads the empty tree without storing it, but fsck reports it as missing.
  if (tree === emptyTree(tree)) await writeObject(context, 'tree', '', quarantine)
  return writeObject(context, 'commit', `${lines.join('\n')}\n\n${message}`, quarantine)
}
