/** Queries about ancestry. */

import { GitError } from '../model/errors.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { ReadOptions } from '../model/types.ts'
import type { RepositoryCache } from '../objects/repository-cache.ts'
import type { Command } from '../process/command.ts'
import { failure, type Runner } from '../process/runner.ts'

/** Key: both ids, descendant first. The result never changes. */
export type AncestryCache = RepositoryCache<boolean>

/**
 * Whether `ancestor` is `descendant` or reachable from it.
 * @throws GitError `object_missing` when one of them is not a commit of the repository
 */
export async function isAncestor(
  runner: Runner,
  cache: AncestryCache,
  directory: string,
  ancestor: Oid,
  descendant: Oid,
  { quarantine, signal }: ReadOptions = {},
): Promise<boolean> {
  const key = descendant + ancestor
  const known = quarantine === undefined ? cache.get(directory, key) : undefined
  if (known !== undefined) return known
  const flags = ['--is-ancestor'] as const
  const command: Command = { subcommand: 'merge-base', flags, operands: [ancestor, descendant], directory, quarantine }
  const exit = await runner.run(command, { expectedExitCodes: [0, 1, 128], signal })
  if (exit.exitCode === 128) throw missingOr(command, exit)
  const answer = exit.exitCode === 0
  // Objects in quarantine may be refused, so the result is not cached.
  if (quarantine === undefined) cache.set(directory, key, answer)
  return answer
}

function missingOr(command: Command, exit: Parameters<typeof failure>[1]): GitError {
  return /Not a valid (?:commit|object) name|bad (?:object|revision)/i.test(exit.stderr)
    ? new GitError('object_missing', 'no such commit', { stderr: exit.stderr })
    : failure(command, exit)
}

/**
 * Returns the candidates that are `base` or its ancestors. One process for all that are not cached.
 * @throws GitError `object_missing` when one of them is not a commit of the repository
 */
export async function mergedInto(
  runner: Runner,
  cache: AncestryCache,
  directory: string,
  candidates: readonly Oid[],
  base: Oid,
): Promise<Set<Oid>> {
  const unknown = new Set(candidates.filter((candidate) => cache.get(directory, base + candidate) === undefined))
  const unmerged = unknown.size > 0 ? await notReachable(runner, directory, unknown, base) : new Set<Oid>()
  for (const candidate of unknown) cache.set(directory, base + candidate, !unmerged.has(candidate))
  // The new results come first: a small cache may have evicted them.
  const isMerged = (oid: Oid) => (unknown.has(oid) ? !unmerged.has(oid) : cache.get(directory, base + oid) === true)
  return new Set(candidates.filter(isMerged))
}

/** A candidate is unmerged when it is in `candidates ^base`. The output is streamed: unmerged histories may be long. */
async function notReachable(
  runner: Runner,
  directory: string,
  candidates: ReadonlySet<Oid>,
  base: Oid,
): Promise<Set<Oid>> {
  const command: Command = { subcommand: 'rev-list', flags: ['--stdin'], directory }
  const input = `^${base}\n${[...candidates].join('\n')}\n`
  const found = new Set<Oid>()
  for await (const oid of listCommits(runner, command, input)) if (candidates.has(oid)) found.add(oid)
  return found
}

/**
 * Lists the new commits of a push: reachable from `tips`, but from no ref. Newest first, at most `limit`.
 * @throws GitError `object_missing`
 */
export async function newCommits(
  runner: Runner,
  directory: string,
  tips: readonly Oid[],
  { limit, quarantine, signal }: { limit: number } & ReadOptions,
): Promise<Oid[]> {
  // The order matters: revisions after `--not` are excluded, those from `--stdin` are not.
  const flags = [`--max-count=${Math.max(0, Math.trunc(limit))}`, '--stdin', '--not', '--all'] as const
  const command: Command = { subcommand: 'rev-list', flags, directory, quarantine }
  const found: Oid[] = []
  for await (const oid of listCommits(runner, command, `${tips.join('\n')}\n`, signal)) found.push(oid)
  return found
}

async function* listCommits(
  runner: Runner,
  command: Command,
  input: string,
  signal?: AbortSignal,
): AsyncGenerator<Oid> {
  const job = await runner.stream(command, { stdin: 'given', input, queue: 'command', signal })
  let rest = ''
  for await (const chunk of job.stdout!) {
    const lines = (rest + (chunk as Buffer).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const oid = parseOid(line)
      if (oid !== null) yield oid
    }
  }
  const exit = await job.exit
  if (exit.exitCode !== 0) throw missingOr(command, exit)
}
