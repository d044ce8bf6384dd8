import { badRequest, parameterError } from '../../api/index.ts'
import type { BranchRef } from '../../infra/git/index.ts'
import { compileRegex, type Regex } from '../../infra/regex/index.ts'

/** Matches the pieces between `*` in order; `^` and `$` anchor the first and the last. */
function wildcardMatcher(search: string): (name: string) => boolean {
  const anchoredStart = search.startsWith('^')
  const anchoredEnd = search.endsWith('$') && search.length > (anchoredStart ? 1 : 0)
  const pieces = search.slice(anchoredStart ? 1 : 0, anchoredEnd ? -1 : undefined).split('*')
  return (name) => {
    let from = 0
    for (const [index, piece] of pieces.entries()) {
      const last = index === pieces.length - 1
      const found = last && anchoredEnd ? endOf(name, piece, from) : name.indexOf(piece, from)
      if (found < 0 || (index === 0 && anchoredStart && !last && found !== 0)) return false
      if (index === 0 && anchoredStart && found !== 0) return false
      from = found + piece.length
    }
    return true
  }
}

function endOf(name: string, piece: string, from: number): number {
  const start = name.length - piece.length
  return start >= from && name.endsWith(piece) ? start : -1
}

/** A test for `search`: a part in any case, anchored by `^` and `$`, with `*` for any characters (contract 01). */
export function searchMatcher(search: string): (name: string) => boolean {
  const matches = wildcardMatcher(search.toLowerCase())
  return (name) => matches(name.toLowerCase())
}

function compile(pattern: string): Regex {
  try {
    return compileRegex(pattern)
  } catch {
    throw parameterError('regex', 'is an invalid regexp')
  }
}

const longestPattern = 1_000
const regexMs = 1_000

/**
 * Returns the test for `regex`: RE2, unanchored, so that a match takes linear time.
 * All names have one second in total (contract 00, "Limits").
 * @throws ApiError 400 when the pattern is invalid, longer than 1,000 characters, or too slow
 */
export function regexMatcher(pattern: string): (name: string) => boolean {
  if (pattern.length > longestPattern) throw parameterError('regex', 'is an invalid regexp')
  const compiled = compile(pattern)
  const deadline = performance.now() + regexMs
  return (name) => {
    if (performance.now() > deadline) throw badRequest('regex timed out')
    return compiled.matcher(name).find()
  }
}

/** The branches whose names match `search` and `regex`, where given. */
export function filterBranches(
  branches: readonly BranchRef[],
  { search, regex }: { search?: string; regex?: string },
): readonly BranchRef[] {
  const tests = [
    ...(search !== undefined && search.trim() !== '' ? [searchMatcher(search)] : []),
    ...(regex !== undefined && regex !== '' ? [regexMatcher(regex)] : []),
  ]
  if (tests.length === 0) return branches
  return branches.filter(({ name }) => tests.every((test) => test(name)))
}
