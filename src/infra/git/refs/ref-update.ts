/** Moves refs in one atomic transaction of git. Every ref is compared with its expected id. */

import { GitError, RefConflict, type RefConflictReason } from '../model/errors.ts'
import { isZeroOid, type RefName, refName } from '../model/names.ts'
import type { RefUpdate } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { syncRefs } from '../process/durable.ts'
import { failure } from '../process/runner.ts'

/** From this number on, refs are made durable together. */
const MANY_REFS = 64

/**
 * Moves refs, all or none, durably, if each is at its expected id. Many refs are written without a sync for each, and then into
 * `packed-refs`, which is synced once. A power failure in between may leave empty files, which `repairRefs` replaces.
 * @throws RefConflict; GitError `object_missing`, `repository_missing`, `invalid_input` when a ref is listed twice
 */
export async function updateRefs(context: RepositoryContext, updates: readonly RefUpdate[]): Promise<void> {
  if (updates.length === 0) return
  const names = [...new Set(updates.map(({ ref }) => ref))]
  if (names.length < updates.length) throw new GitError('invalid_input', 'a ref is named twice in one update')
  // Many are packed, which locks all refs.
  const locked = names.length < MANY_REFS ? names : null
  await context.writers.during(context.directory, locked, () => write(context, updates))
  // A deletion rewrites `packed-refs`, and so do many refs.
  await syncRefs(context.directory, names, locked === null || updates.some((update) => isZeroOid(update.new)))
}

/** Moves the refs, and syncs their files but not the directories. */
async function write({ runner, directory }: RepositoryContext, updates: readonly RefUpdate[]): Promise<void> {
  // A deletion rewrites `packed-refs`, which must never be replaced by a file that is not on disk.
  const isTogether = updates.length >= MANY_REFS && !updates.some((update) => isZeroOid(update.new))
  const config = isTogether ? ([['core.fsync', 'none']] as const) : []
  const command: Command = { subcommand: 'update-ref', flags: ['--stdin', '-z'], directory, config }
  const exit = await runner.run(command, { input: transaction(updates), expectedExitCodes: [0, 1, 128] })
  if (exit.exitCode !== 0) throw conflictIn(exit.stderr, updates) ?? failure(command, exit)
  if (isTogether) await runner.run({ ...packRefs, directory })
}

/** Moves all loose refs into `packed-refs`. */
export const packRefs = { subcommand: 'pack-refs', flags: ['--all', '--prune'] } as const

/** The input of `update-ref --stdin -z`. Without its last line, when the spawner dies in the midst, nothing is changed. */
function transaction(updates: readonly RefUpdate[]): string {
  const instructions = updates.map((update) => `option no-deref\0${instruction(update)}`)
  return ['start\0', ...instructions, 'commit\0'].join('')
}

function instruction({ ref, old, new: target }: RefUpdate): string {
  if (!isZeroOid(target)) return `update ${ref}\0${target}\0${old ?? ''}\0`
  // Deleting a ref that must not exist only checks that.
  if (old !== null && isZeroOid(old)) return `verify ${ref}\0${old}\0`
  return `delete ${ref}\0${old ?? ''}\0`
}

/** Ref names contain neither spaces nor colons, but may contain quotes. */
const QUOTED_REF = "'(refs/[^\\s:]+)'"
const CONFLICTS: readonly [RegExp, RefConflictReason][] = [
  [new RegExp(`cannot lock ref ${QUOTED_REF}: ${QUOTED_REF} exists; cannot create`), 'directory'],
  [
    new RegExp(`cannot lock ref ${QUOTED_REF}: cannot process '(?:refs/[^\\s:]+)' and ${QUOTED_REF} at the same time`),
    'directory',
  ],
  [new RegExp(`cannot lock ref ${QUOTED_REF}: there is a non-empty directory`), 'directory'],
  [new RegExp(`cannot lock ref ${QUOTED_REF}: is at [0-9a-f]+ but expected`), 'moved'],
  [new RegExp(`cannot lock ref ${QUOTED_REF}: reference already exists`), 'exists'],
  [new RegExp(`cannot lock ref ${QUOTED_REF}: (?:unable to resolve reference|reference is missing)`), 'missing'],
  // With the branch that it names, git locks `HEAD`.
  [/cannot lock ref '(HEAD)': Unable to create '.*\.lock': File exists/, 'locked'],
  [new RegExp(`cannot lock ref ${QUOTED_REF}: Unable to create '.*\\.lock': File exists`), 'locked'],
]

/** Parses the conflict from git's message. @returns null when git failed for another reason */
export function conflictIn(stderr: string, updates: readonly RefUpdate[]): RefConflict | GitError | null {
  for (const [pattern, reason] of CONFLICTS) {
    const match = pattern.exec(stderr)
    if (match !== null) return new RefConflict(reason, nameOf(match[1], updates), refName(match[2] ?? ''))
  }
  if (/trying to write (?:ref .* with nonexistent object|non-commit object)/.test(stderr)) {
    return new GitError('object_missing', 'a ref cannot point at that object', { stderr })
  }
  if (/Unable to create '.*(?:packed-refs|\.lock)\.lock': File exists/.test(stderr)) {
    return new RefConflict('locked', nameOf(undefined, updates))
  }
  return null
}

function nameOf(text: string | undefined, updates: readonly RefUpdate[]): RefName {
  return (text === undefined ? null : refName(text)) ?? updates[0]!.ref
}
