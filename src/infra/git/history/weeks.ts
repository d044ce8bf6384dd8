import { GitError } from '../model/errors.ts'
import type { Oid } from '../model/names.ts'
import type { RepositoryContext } from '../objects/context.ts'
import { memoryOf } from '../objects/history-cache.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'

/** How many commits are counted at most, and for how long. */
const MOST_COMMITS = 200_000
const LONGEST_MS = 5_000

const WEEK_SECONDS = 7 * 24 * 60 * 60

/**
 * Counts the commits of a history by week of their committer date.
 * @param from the first second of the first week
 * @throws GitError `object_missing`
 */
export async function commitsByWeek(
  context: RepositoryContext,
  commit: Oid,
  { from, weeks }: { from: number; weeks: number },
): Promise<readonly number[]> {
  const { runner, directory, history } = context
  const flags = ['--timestamp', `--since=@${from} +0000`, `--max-count=${MOST_COMMITS}`] as const
  const command: Command = { subcommand: 'rev-list', flags, operands: [commit], directory }
  const memory = memoryOf<readonly number[]>(history, 'weeks', () => weeks * 8)
  const key = `${commit} ${from} ${weeks}`
  const known = memory.get(directory, key)
  if (known) return known
  const counts = new Array<number>(weeks).fill(0)
  const signal = AbortSignal.timeout(LONGEST_MS)
  try {
    for await (const line of recordsOf(runner, command, { signal })) {
      const week = Math.floor((Number.parseInt(line.toString('latin1'), 10) - from) / WEEK_SECONDS)
      if (week >= 0 && week < weeks) counts[week] = (counts[week] ?? 0) + 1
    }
    memory.set(directory, key, counts)
  } catch (error) {
    // What was read in time is shown, and not remembered.
    if (!(error instanceof GitError && error.code === 'aborted' && signal.aborted)) throw error
  }
  return counts
}
