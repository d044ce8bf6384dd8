import { setImmediate as nextTurn } from 'node:timers/promises'
import { RE2JS } from 're2js'
import { mutuallyExclusive, parameterError } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { protectedBranchTest } from '../protected-branches/index.ts'

/** In characters. */
const longestPattern = 1_000
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 2_000
/** After so many steps others have their turn. */
const stepsPerTurn = 1_000_000

/**
 * The pattern as it is kept: null where there is none.
 * @throws ApiError 400 when it is no RE2 pattern, or too large a one
 */
export function checkedPattern(pattern: string | null | undefined): string | null | undefined {
  if (pattern === undefined || pattern === null) return pattern
  if (pattern.trim() === '') return null
  if (pattern.length > longestPattern || !isSound(pattern)) {
    throw parameterError('mirror_branch_regex', 'is an invalid regexp')
  }
  return pattern
}

function isSound(pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).programSize() <= largestProgram
  } catch {
    return false
  }
}

/**
 * Which branches are mirrored is said in one of two ways: the one that was asked for last ends the other.
 * @throws ApiError 400 when both are asked for at once
 */
export function chosenBranches(
  onlyProtected: boolean | undefined,
  given: string | null | undefined,
  nameOfFlag: string,
): { onlyProtected?: boolean; pattern?: string | null } {
  const pattern = checkedPattern(given)
  if (onlyProtected && pattern) throw mutuallyExclusive([nameOfFlag, 'mirror_branch_regex'])
  if (onlyProtected) return { onlyProtected, pattern: null }
  if (pattern) return { onlyProtected: false, pattern }
  return {
    ...(onlyProtected === undefined ? {} : { onlyProtected }),
    ...(pattern === undefined ? {} : { pattern }),
  }
}

type Choice = { project: ProjectRow; onlyProtected: boolean; pattern: string | null }

/** Those of the branches that are mirrored: the protected ones, those that match the pattern, or all. */
export async function mirroredBranches(
  platform: Platform,
  { project, onlyProtected, pattern }: Choice,
  names: Iterable<string>,
): Promise<ReadonlySet<string>> {
  if (onlyProtected) {
    return new Set([...names].filter(await protectedBranchTest(platform, project)))
  }
  return pattern === null ? new Set(names) : matching(pattern, names)
}

async function matching(pattern: string, names: Iterable<string>): Promise<Set<string>> {
  const expression = RE2JS.compile(pattern)
  const found = new Set<string>()
  let steps = 0
  for (const name of names) {
    if (expression.matcher(name).find()) found.add(name)
    steps += expression.programSize() * (name.length + 1)
    if (steps < stepsPerTurn) continue
    steps = 0
    await nextTurn()
  }
  return found
}
