import type { Effort } from './effort.ts'
import { type PathComponents, pathComponents, pathMatcher } from './pattern.ts'

/** A user or group by name, or a user by e-mail address; in lower case. */
export type CodeOwner = { kind: 'name'; name: string } | { kind: 'email'; email: string }

type OwnedPattern = {
  /** The text of the file. */
  pattern: string
  matches(path: PathComponents, effort: Effort): boolean
  owners: readonly CodeOwner[]
}

export type OwnedSection = {
  name: string
  /** Whether approval by the owners is optional. */
  isOptional: boolean
  patterns: OwnedPattern[]
}

/** The pattern that decides about a path in a section. */
type PathOwnership = { section: OwnedSection; pattern: string; owners: readonly CodeOwner[] }

const ownerName = /^@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_-])?(?:\/[\p{L}\p{N}_][\p{L}\p{N}_.-]*)*$/u
const emailAddress = /^[^\s@]+@[^\s@]+$/

/** No path is longer, so a longer pattern matches nothing. */
const longestPattern = 4_096

/** The owners in a line, up to a comment. Other words are ignored. */
function ownersIn(text: string): CodeOwner[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const comment = words.findIndex((word) => word.startsWith('#'))
  const named = comment < 0 ? words : words.slice(0, comment)
  return named.flatMap((word): CodeOwner[] => {
    if (ownerName.test(word)) return [{ kind: 'name', name: word.slice(1).toLowerCase() }]
    return emailAddress.test(word) ? [{ kind: 'email', email: word.toLowerCase() }] : []
  })
}

/** The end of the pattern at the start of a line: the first unescaped white space. */
function endOfPattern(line: string): number {
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '\\') index += 1
    else if (line[index] === ' ' || line[index] === '\t') return index
  }
  return line.length
}

/** Parses a section heading: `[Name]`, `^[Name][2] @owner …`; null for other lines. */
function headingOf(line: string) {
  const found = /^(\^?)\[([^\]]+)\](?:\[\d{0,4}\])?(?:\s+(.*))?$/s.exec(line)
  if (!found) return null
  const [, optional, name = '', owners = ''] = found
  if (name.trim() === '') return null
  return { name: name.trim(), isOptional: optional === '^', owners: ownersIn(owners) }
}

const isBlankOrComment = (text: string) => text === '' || text.startsWith('#')

/** Parses a line with a pattern; none when no path can match it. @param sectionOwners the owners where the line names none */
function ownedPatterns(line: string, sectionOwners: readonly CodeOwner[]): OwnedPattern[] {
  const end = endOfPattern(line)
  if (end > longestPattern) return []
  const pattern = line.slice(0, end)
  const rest = line.slice(end).trim()
  return [{ pattern, matches: pathMatcher(pattern), owners: isBlankOrComment(rest) ? sectionOwners : ownersIn(rest) }]
}

/** The effort for a line in addition to its length, in steps. */
const stepsPerLine = 50

/**
 * Parses a `CODEOWNERS` file in linear time, with pauses between lines. Invalid lines are ignored; sections with the same
 * name, in any case, are merged.
 * @throws TooMuchEffort
 */
export async function parseCodeOwners(text: string, effort: Effort): Promise<readonly OwnedSection[]> {
  let section: OwnedSection = { name: '', isOptional: false, patterns: [] }
  let sectionOwners: readonly CodeOwner[] = []
  const sections = new Map([['', section]])
  for (const raw of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    effort.spend(stepsPerLine + raw.length)
    const waiting = effort.pause()
    if (waiting) await waiting
    const line = raw.trim()
    const heading = headingOf(line)
    if (heading) {
      const { owners, ...named } = heading
      const key = named.name.toLowerCase()
      section = sections.get(key) ?? { ...named, patterns: [] }
      sections.set(key, section)
      sectionOwners = owners
    } else if (!isBlankOrComment(line)) section.patterns.push(...ownedPatterns(line, sectionOwners))
  }
  return [...sections.values()].filter(({ patterns }) => patterns.length > 0)
}

async function lastMatch({ patterns }: OwnedSection, path: PathComponents, effort: Effort) {
  for (const pattern of patterns.toReversed()) {
    const isMatch = pattern.matches(path, effort)
    const waiting = effort.pause()
    if (waiting) await waiting
    if (isMatch) return pattern
  }
  return null
}

/**
 * The last pattern of each section that matches a path, where it names owners (contract 01, "Pushing by git"). Pauses between
 * patterns, because there may be many and each may take long.
 * @throws TooMuchEffort
 */
export async function ownershipOf(
  sections: readonly OwnedSection[],
  path: string,
  effort: Effort,
): Promise<PathOwnership[]> {
  const components = pathComponents(path)
  const found: PathOwnership[] = []
  for (const section of sections) {
    const last = await lastMatch(section, components, effort)
    if (last && last.owners.length > 0) found.push({ section, pattern: last.pattern, owners: last.owners })
  }
  return found
}
