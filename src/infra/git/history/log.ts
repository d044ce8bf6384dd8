/** Queries about histories: commits, authors, and changes of a path. */

import { GitError } from '../model/errors.ts'
import { type Oid, parseOid, type TreePath } from '../model/names.ts'
import type { Contributor, LogQuery } from '../model/reading-types.ts'
import type { ReadOptions } from '../model/types.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import { remembered } from '../objects/history-cache.ts'
import { readCommits } from '../objects/objects.ts'
import type { Command } from '../process/command.ts'
import { LITERAL_PATHS, missingOr, recordsOf } from '../process/output.ts'
import { listCommits } from './history.ts'

/** An id as a string, with its index in a list. */
const OID_WEIGHT = 100

const weightOfOids = (oids: readonly Oid[]) => oids.length * OID_WEIGHT

/**
 * Lists the commits of a range, newest first or topologically.
 * @throws GitError `object_missing` when an id is not a commit of the repository, `invalid_input` for an invalid date
 */
export async function log(
  context: RepositoryContext,
  query: LogQuery,
  { quarantine }: ReadOptions = {},
): Promise<readonly Oid[]> {
  const { runner, directory } = context
  const { author = '', limit = -1, skip = 0, since, until } = query
  // No author name contains them, and git would take the text after a newline for another pattern.
  if (limit === 0 || /[\n\0]/.test(author)) return []
  const isPlain = author === '' && skip === 0 && since === undefined && until === undefined
  if (isPlain && quarantine === undefined && (await isOneCommit(context, query))) return [...query.tips]
  const flags: `-${string}`[] = [...rangeFlags(query)]
  if (query.order === 'topo') flags.push('--topo-order')
  if (limit > 0) flags.push(`--max-count=${countOf(limit)}`)
  if (skip > 0) flags.push(`--skip=${countOf(skip)}`)
  if (since !== undefined) flags.push(`--since=${momentOf(Math.ceil(secondsOf(since)))}`)
  if (until !== undefined) flags.push(`--until=${momentOf(Math.floor(secondsOf(until)))}`)
  if (author !== '') flags.push('--fixed-strings', '--regexp-ignore-case', `--author=${author}`)
  const command = listing(directory, flags, query.path, quarantine)
  const input = tipsOf(query)
  // Not cached: branches move, and objects in quarantine may be refused.
  const isCached = query.tips.length > 0 && quarantine === undefined
  const key = isCached ? JSON.stringify([flags, input, query.path]) : null
  return remembered(context, 'log', key, weightOfOids, () => Array.fromAsync(listCommits(runner, command, input)))
}

type Range = Pick<LogQuery, 'tips' | 'excluded' | 'firstParent' | 'path'>

function rangeFlags({ tips, firstParent }: Range): `-${string}`[] {
  return [
    ...(firstParent === true ? (['--first-parent'] as const) : []),
    ...(tips.length === 0 ? (['--branches', '--tags'] as const) : []),
  ]
}

/** Whether a range is one commit on top of its base, as after most pushes. Takes no process of its own. */
async function isOneCommit(context: RepositoryContext, { tips, excluded = [], path }: Range): Promise<boolean> {
  const [tip, base] = [tips[0], excluded[0]]
  if (tips.length !== 1 || excluded.length !== 1 || path !== undefined || !tip || !base) return false
  const parents = (await readCommits(context, [tip])).get(tip)?.parentOids
  return parents?.length === 1 && parents[0] === base
}

/** Ids are passed by standard input: there may be too many for an argument list. */
function tipsOf({ tips, excluded = [] }: Range): string {
  return linesOf([...tips, ...excluded.map((oid) => `^${oid}` as const)])
}

function listing(
  directory: string,
  flags: readonly `-${string}`[],
  path: TreePath | undefined,
  quarantine?: ReadOptions['quarantine'],
): Command {
  return {
    subcommand: 'rev-list',
    flags: [...flags, '--stdin'],
    // Without a path, the separator makes clear that no operand is one.
    paths: path === undefined ? [] : [path],
    environment: LITERAL_PATHS,
    directory,
    quarantine,
  }
}

/** The largest number that git accepts: it counts with 32 bits. */
function countOf(number: number): number {
  return Math.min(Math.ceil(number), 2 ** 31 - 1)
}

/** The date format that git parses reliably, even beyond 2038 (`--max-age` does not). */
function momentOf(seconds: number): string {
  return `@${Math.max(0, seconds)} +0000`
}

/** @throws GitError `invalid_input` */
function secondsOf(iso: string): number {
  const milliseconds = Date.parse(iso)
  if (Number.isNaN(milliseconds)) throw new GitError('invalid_input', 'not a date')
  return milliseconds / 1_000
}

/** Counts the commits of a range. @throws GitError `object_missing` */
export async function countCommits(context: RepositoryContext, query: Range): Promise<number> {
  if (await isOneCommit(context, query)) return 1
  const { runner, directory } = context
  const flags = rangeFlags(query)
  const input = tipsOf(query)
  const key = query.tips.length > 0 ? JSON.stringify([flags, input, query.path]) : null
  const command = listing(directory, ['--count', ...flags], query.path)
  const find = async () => {
    const exit = await runner.run(command, { input, expectedExitCodes: [0, 128] })
    if (exit.exitCode !== 0) throw missingOr(command, exit)
    return Number(exit.stdout.toString('latin1'))
  }
  return remembered(context, 'count', key, () => 0, find)
}

/**
 * By how many commits the history of `to` is longer than that of `from`; negative when it is shorter.
 * @throws GitError `object_missing`
 */
export async function countMore(context: RepositoryContext, from: Oid, to: Oid): Promise<number> {
  if (from === to) return 0
  if (await isOneCommit(context, { tips: [to], excluded: [from] })) return 1
  const { runner, directory } = context
  const command = listing(directory, ['--count', '--left-right'], undefined)
  const exit = await runner.run(command, { input: `${from}...${to}\n`, expectedExitCodes: [0, 128] })
  if (exit.exitCode !== 0) throw missingOr(command, exit)
  const [left = 0, right = 0] = exit.stdout.toString('latin1').split('\t').map(Number)
  return right - left
}

/** Finds the newest commit at or before `commit` that changed the path. @throws GitError `object_missing` */
export async function lastCommitOf(context: RepositoryContext, commit: Oid, path: TreePath): Promise<Oid | null> {
  const [last = null] = await log(context, { tips: [commit], path, limit: 1 })
  return last
}

/**
 * Finds the best common ancestor of commits. @returns null when they have none, or the list is empty
 * @throws GitError `object_missing`
 */
export async function mergeBase(
  context: RepositoryContext,
  oids: readonly Oid[],
  { quarantine }: ReadOptions = {},
): Promise<Oid | null> {
  if (oids.length === 0) return null
  const { runner, directory } = context
  // Without `--octopus`, git would treat the second and further ids as one hypothetical merge.
  const command: Command = { subcommand: 'merge-base', flags: ['--octopus'], operands: oids, directory, quarantine }
  const find = async () => {
    const exit = await runner.run(command, { expectedExitCodes: [0, 1, 128] })
    if (exit.exitCode === 128) throw missingOr(command, exit)
    return exit.exitCode === 1 ? null : parseOid(exit.stdout.toString('latin1').split('\n')[0] ?? '')
  }
  return remembered(context, 'base', quarantine === undefined ? oids.join() : null, () => OID_WEIGHT, find)
}

/**
 * Lists the authors of all commits in a history, unordered, by name and e-mail as written in the commits. A `.mailmap` is not
 * applied.
 * @throws GitError `object_missing`
 */
export async function contributors(context: RepositoryContext, commit: Oid): Promise<readonly Contributor[]> {
  const { runner, directory } = context
  const flags = ['--summary', '--email', '--group=author'] as const
  const config = [['mailmap.blob', ''] as const, ['mailmap.file', ''] as const]
  const command: Command = { subcommand: 'shortlog', flags, operands: [commit], config, directory }
  const weightOf = (people: readonly Contributor[]) =>
    people.reduce((sum, { name, email }) => sum + 150 + (name.length + email.length) * 2, 0)
  return remembered(context, 'contributors', commit, weightOf, async () => {
    const people: Contributor[] = []
    for await (const line of recordsOf(runner, command)) {
      const [, commits, name = '', email = ''] = /^ *(\d+)\t([^<]*)<(.*)>$/s.exec(line.toString('utf8')) ?? []
      if (commits !== undefined) people.push({ name: name.trimEnd(), email, commits: Number(commits) })
    }
    return people
  })
}
