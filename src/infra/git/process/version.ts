/** Which versions of git are accepted. */
import { GitError } from '../model/errors.ts'

/** Without them, `git archive` and `.gitattributes` files of a repository can overwrite memory of a git process. */
const FIXES = ['CVE-2022-41903', 'CVE-2022-23521'] as const
/**
 * For each series of versions, the first release with these fixes. Earlier series have no `merge-tree --write-tree`, later ones have
 * the fixes from the beginning.
 */
const FIRST_RELEASES: Readonly<Record<string, number>> = { '2.38': 3, '2.39': 1 }
/** All versions from here on are accepted. */
const FIRST_SERIES = [2, 40] as const

/**
 * Checks what `git version` prints. What a vendor adds to the number does not count.
 * @throws GitError `unsupported_version` for a version that lacks a function or a fix, and for a text without a version
 */
export function requireVersion(printed: string): void {
  const [found = printed.trim(), major = 0, minor = 0, patch = 0] = numbersIn(printed)
  const [firstMajor, firstMinor] = FIRST_SERIES
  if (major > firstMajor || (major === firstMajor && minor >= firstMinor)) return
  if (patch >= (FIRST_RELEASES[`${major}.${minor}`] ?? Number.POSITIVE_INFINITY)) return
  throw new GitError(
    'unsupported_version',
    `git ${found} is too old: 2.39.1 or newer, or a 2.38 from 2.38.3 on, is required (fixes of ${FIXES.join(' and ')})`,
  )
}

/** The version as it is printed, and its first three numbers. Missing numbers count as 0. */
function numbersIn(printed: string): [] | [found: string, major: number, minor: number, patch: number] {
  const match = /^git version ((\d+)\.(\d+)(?:\.(\d+))?\S*)/.exec(printed)
  return match ? [match[1] ?? '', Number(match[2]), Number(match[3]), Number(match[4] ?? 0)] : []
}
