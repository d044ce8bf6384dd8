import { setImmediate as nextTick } from 'node:timers/promises'
import { mutuallyExclusive, parameterError, t } from '../../api/index.ts'
import { compileRegex } from '../../infra/regex/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { protectedBranchTest } from '../protected-branches/index.ts'

export const branchPattern = t.nullable(
  t.string({ description: 'RE2. Only matching branches are mirrored; excludes the choice of protected branches.' }),
)

/** In characters. */
const longestPattern = 1_000
/** In instructions; a match takes at most as many steps per character as there are. */
const largestProgram = 2_000
/** The number of steps between two yields to the event loop. */
const stepsPerSlice = 1_000_000

/**
 * Validates a pattern. @returns null for a blank one
 * @throws ApiError 400 when it is not an RE2 pattern, or too large
 */
function checkedPattern(pattern: string | null | undefined): string | null | undefined {
  if (pattern === undefined || pattern === null) return pattern
  if (pattern.trim() === '') return null
  if (pattern.length > longestPattern || !isValid(pattern)) {
    throw parameterError('mirror_branch_regex', 'is an invalid regexp')
  }
  return pattern
}

function isValid(pattern: string): boolean {
  try {
    return compileRegex(pattern).programSize() <= largestProgram
  } catch {
    return false
  }
}

/**
 * Branches are chosen by protection or by a pattern: setting one resets the other.
 * @throws ApiError 400 when both are set at once
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

/** The mirrored ones of some branches: the protected ones, those that match the pattern, or all. */
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
  const expression = compileRegex(pattern)
  const found = new Set<string>()
  let steps = 0
  for (const name of names) {
    if (expression.matcher(name).find()) found.add(name)
    steps += expression.programSize() * (name.length + 1)
    if (steps < stepsPerSlice) continue
    steps = 0
    await nextTick()
  }
  return found
}
