import type { Regex } from '../../../infra/regex/index.ts'
import { compileCleanupPattern } from '../../projects/index.ts'
import { fullMatcher } from '../tags/matcher.ts'

/** Which tags a clean-up deletes, as a job stores it (contract 02 R7). */
export type CleanupRules = {
  /** RE2; must match the whole name. */
  deletePattern: string
  /** RE2; names that match it as a whole are kept. Null or empty: none. */
  keepPattern: string | null
  /** The number of newest candidates that are kept. */
  keepCount: number
  /** Candidates must be older; null: of any age. */
  olderThanSeconds: number | null
}

/** A tag as it was judged. */
export type JudgedTag = {
  name: string
  manifestId: number
  /** Time of the image, not of the tagging (contract 02 R9). */
  createdAt: string
}

/** The patterns of rules, compiled. */
export type CompiledPatterns = { remove: Regex; keep: Regex | null }

/** @throws PatternError */
export function compileRules({ deletePattern, keepPattern }: CleanupRules): CompiledPatterns {
  return { remove: compileCleanupPattern(deletePattern), keep: keepPattern ? compileCleanupPattern(keepPattern) : null }
}

/** The tag that no clean-up deletes. */
const spared = 'latest'

/** Whether tags are candidates by their names (contract 02 R7, step 2). */
export function candidateTest({ remove, keep }: CompiledPatterns): (name: string) => Promise<boolean> {
  const matches = fullMatcher()
  return async (name) => name !== spared && (await matches(remove, name)) && !(keep && (await matches(keep, name)))
}

/** Newest first; ties by name, descending. */
function newestFirst(left: JudgedTag, right: JudgedTag): number {
  const difference = Date.parse(right.createdAt) - Date.parse(left.createdAt)
  if (difference !== 0) return difference
  return left.name < right.name ? 1 : -1
}

/**
 * The candidates that are deleted, oldest first: all but the newest `keepCount`, and of these the ones that are old enough
 * (contract 02 R7, steps 3 and 4).
 */
export function selectTags(candidates: readonly JudgedTag[], rules: CleanupRules, now: Date): JudgedTag[] {
  const rest = candidates.toSorted(newestFirst).slice(Math.max(0, rules.keepCount))
  const limitMs = rules.olderThanSeconds === null ? Infinity : now.getTime() - rules.olderThanSeconds * 1000
  return rest.filter(({ createdAt }) => Date.parse(createdAt) < limitMs).reverse()
}
