/** Queries about ancestry. */

import { GitError } from '../model/errors.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { Quarantine, ReadOptions } from '../model/types.ts'
import { parseCommit } from '../objects/commit.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import { readLoose } from '../objects/loose.ts'
import type { Command } from '../process/command.ts'
import { missingOr, recordsOf } from '../process/output.ts'
import type { Runner } from '../process/runner.ts'

/**
 * Whether `ancestor` is `descendant` or reachable from it.
 * @throws GitError `object_missing` when one of them is not a commit of the repository
 */
export async function isAncestor(
  { runner, ancestry, directory }: RepositoryContext,
  ancestor: Oid,
  descendant: Oid,
  { quarantine }: ReadOptions = {},
): Promise<boolean> {
  const key = descendant + ancestor
  const known = quarantine === undefined ? ancestry.get(directory, key) : undefined
  if (known !== undefined) return known
  if (quarantine !== undefined && (await isAmongNew(quarantine, ancestor, descendant))) return true
  const flags = ['--is-ancestor'] as const
  const command: Command = { subcommand: 'merge-base', flags, operands: [ancestor, descendant], directory, quarantine }
  const exit = await runner.run(command, { expectedExitCodes: [0, 1, 128] })
  if (exit.exitCode === 128) throw missingOr(command, exit)
  const answer = exit.exitCode === 0
  // Objects in quarantine may be refused, so the result is not cached.
  if (quarantine === undefined) ancestry.set(directory, key, answer)
  return answer
}

/** How many commits in quarantine are read before git is asked. */
const FEW_COMMITS = 16
const COMMIT_BYTES = 64 * 1024

/** Whether the new commits of a small push lead from `descendant` to `ancestor`. Without a process; false may also mean unknown. */
async function isAmongNew({ objectDirectory }: Quarantine, ancestor: Oid, descendant: Oid): Promise<boolean> {
  const found = new Set([descendant])
  for (const oid of found) {
    const object = found.size > FEW_COMMITS ? null : await readLoose(objectDirectory, oid, COMMIT_BYTES)
    const parents = object?.type === 'commit' ? (parseCommit(oid, object.content)?.parentOids ?? []) : []
    if (parents.includes(ancestor)) return true
    for (const parent of parents) found.add(parent)
  }
  return false
}

/**
 * Returns the candidates that are `base` or its ancestors. One process for all that are not cached.
 * @throws GitError `object_missing` when one of them is not a commit of the repository
 */
export async function mergedInto(
  { runner, ancestry, directory }: RepositoryContext,
  candidates: readonly Oid[],
  base: Oid,
): Promise<Set<Oid>> {
  const unknown = new Set(candidates.filter((candidate) => ancestry.get(directory, base + candidate) === undefined))
  const unmerged = new Set<Oid>()
  if (unknown.size > 0) {
    // A candidate is unmerged when it is in `candidates ^base`. The output is streamed: unmerged histories may be long.
    const command: Command = { subcommand: 'rev-list', flags: ['--stdin'], directory }
    const listed = listCommits(runner, command, linesOf([`^${base}`, ...unknown]))
    for await (const oid of listed) if (unknown.has(oid)) unmerged.add(oid)
  }
  for (const candidate of unknown) ancestry.set(directory, base + candidate, !unmerged.has(candidate))
  // The new results come first: a small cache may have evicted them.
  const isMerged = (oid: Oid) => (unknown.has(oid) ? !unmerged.has(oid) : ancestry.get(directory, base + oid) === true)
  return new Set(candidates.filter(isMerged))
}

/**
 * Lists the new commits of a push: reachable from `tips`, but from no ref. Newest first, at most `limit`.
 * @throws GitError `object_missing`
 */
export async function newCommits(
  { runner, directory }: RepositoryContext,
  tips: readonly Oid[],
  { limit, quarantine }: { limit: number } & ReadOptions,
): Promise<Oid[]> {
  // The order matters: revisions after `--not` are excluded, those from `--stdin` are not.
  const flags = [`--max-count=${Math.max(0, Math.trunc(limit))}`, '--stdin', '--not', '--all'] as const
  const command: Command = { subcommand: 'rev-list', flags, directory, quarantine }
  return Array.fromAsync(listCommits(runner, command, linesOf(tips)))
}

/** Yields the ids that a command prints, one per line. */
export async function* listCommits(
  runner: Runner,
  command: Command,
  input: string,
  signal?: AbortSignal,
): AsyncGenerator<Oid> {
  for await (const line of recordsOf(runner, command, { input, signal })) {
    const oid = parseOid(line.toString('latin1'))
    if (oid === null) throw new GitError('command_failed', 'git printed a malformed id')
    yield oid
  }
}
