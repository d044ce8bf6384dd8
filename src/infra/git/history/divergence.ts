import { GitError } from '../model/errors.ts'
import { type Oid, parseOid } from '../model/names.ts'
import type { Divergence } from '../model/reading-types.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import { memoryOf } from '../objects/history-cache.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'

/** How far back the histories are read, in commits and in time. */
const MOST_COMMITS = 20_000
const LONGEST_MS = 2_000

/** Which of the commits in question reach a commit: the base is the first bit. */
type Reach = bigint
const BASE: Reach = 1n
const bitOf = (index: number): Reach => 1n << BigInt(index + 1)

/** How far back the histories are read, in commits, and when the reading ends. */
type Bounds = { mostCommits?: number; signal?: AbortSignal }

/** What is known when the walk ends: how many commits have each reach, and the reach of those that were not read. */
type Walked = {
  read: ReadonlyMap<Reach, number>
  unread: ReadonlySet<Reach>
  /** Whether it ended for its time: on a less busy machine more may be read. */
  isLate: boolean
}

/**
 * Counts the commits that each tip has and the base has not, and the reverse, with one process for all that are not cached.
 * @param bounds what is not read within them stays unknown
 * @returns null for tips whose common history with the base is too far back
 * @throws GitError `object_missing` when one of them is not a commit of the repository
 */
export async function divergencesFrom(
  context: RepositoryContext,
  base: Oid,
  tips: readonly Oid[],
  { mostCommits = MOST_COMMITS, signal = AbortSignal.timeout(LONGEST_MS) }: Bounds = {},
): Promise<ReadonlyMap<Oid, Divergence | null>> {
  const { history, directory } = context
  const memory = memoryOf<Divergence | null>(history, 'divergence', () => 0)
  const found = new Map<Oid, Divergence | null>()
  const unknown: Oid[] = []
  for (const tip of new Set(tips)) {
    const known = memory.get(directory, base + tip)
    if (known === undefined) unknown.push(tip)
    else found.set(tip, known)
  }
  if (unknown.length === 0) return found
  const walked = await walk(context, [base, ...unknown], { mostCommits, signal })
  for (const [index, tip] of unknown.entries()) {
    const divergence = countedFor(bitOf(index), walked)
    if (divergence || !walked.isLate) memory.set(directory, base + tip, divergence)
    found.set(tip, divergence)
  }
  return found
}

/** Reads the commits that some of the starts do not reach, children first. */
async function walk(
  { runner, directory }: RepositoryContext,
  starts: readonly Oid[],
  { mostCommits, signal }: Required<Bounds>,
): Promise<Walked> {
  const all = (BASE << BigInt(starts.length)) - 1n
  const read = new Map<Reach, number>()
  const pending = new Map<string, Reach>()
  let partial = 0
  const reached = (oid: string, reach: Reach) => {
    const before = pending.get(oid) ?? 0n
    const after = before | reach
    if (before !== 0n && before !== all) partial -= 1
    if (after !== all) partial += 1
    pending.set(oid, after)
  }
  for (const [index, oid] of starts.entries()) reached(oid, BASE << BigInt(index))
  const flags = ['--date-order', '--parents', `--max-count=${mostCommits}`, '--stdin'] as const
  const command: Command = { subcommand: 'rev-list', flags, directory }
  try {
    for await (const line of recordsOf(runner, command, { input: linesOf(starts), signal })) {
      const [oid = '', ...parents] = line.toString('latin1').split(' ')
      if (parseOid(oid) === null) throw new GitError('command_failed', 'git printed a malformed id')
      const reach = pending.get(oid) ?? 0n
      pending.delete(oid)
      if (reach !== all) partial -= 1
      read.set(reach, (read.get(reach) ?? 0) + 1)
      for (const parent of parents) reached(parent, reach)
      // All that follows is common to all.
      if (partial === 0) break
    }
  } catch (error) {
    if (!(error instanceof GitError && error.code === 'aborted' && signal.aborted)) throw error
  }
  return { read, unread: new Set(pending.values()), isLate: signal.aborted }
}

/** The counts of one tip; null when commits that only it or only the base has were not read. */
function countedFor(tip: Reach, { read, unread }: Walked): Divergence | null {
  const isAhead = (reach: Reach) => (reach & tip) !== 0n && (reach & BASE) === 0n
  const isBehind = (reach: Reach) => (reach & tip) === 0n && (reach & BASE) !== 0n
  for (const reach of unread) if (isAhead(reach) || isBehind(reach)) return null
  let [ahead, behind] = [0, 0]
  for (const [reach, commits] of read) {
    if (isAhead(reach)) ahead += commits
    if (isBehind(reach)) behind += commits
  }
  return { ahead, behind }
}
