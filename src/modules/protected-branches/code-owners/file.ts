import type { Effort } from './effort.ts'
import { type PathComponents, pathComponents, pathMatcher } from './pattern.ts'

/** A user or group by name, or a user by e-mail address; in lower case. */
export type CodeOwner = { kind: 'name'; name: string } | { kind: 'email'; email: string }

export type OwnedPattern = {
  /** The text of the file. */
  pattern: string
  matches(path: PathComponents, effort?: Effort): boolean
  owners: readonly CodeOwner[]
}

export type OwnedSection = {
  name: string
  /** Whether approval by the owners is optional. */
  isOptional: boolean
  /** How many owners must approve a merge request. */
  approvals: number
  patterns: OwnedPattern[]
}

/** The pattern that decides about a path in a section. */
export type PathOwnership = { section: OwnedSection; pattern: string; owners: readonly CodeOwner[] }

/** A parsed `CODEOWNERS` file. */
export type CodeOwners = {
  sections: readonly OwnedSection[]
  /** For each section the last pattern that matches, where it names owners (contract 01, "Pushing by git"). */
  of(path: string): PathOwnership[]
  /**
   * Like `of`, and pauses between patterns, because there may be many and each may take long.
   * @throws TooMuchEffort
   */
  ofInSlices(path: string, effort: Effort): Promise<PathOwnership[]>
}

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

type Heading = { name: string; isOptional: boolean; approvals: number; owners: readonly CodeOwner[] }

/** Parses a section heading: `[Name]`, `^[Name][2] @owner …`; null for other lines. */
function headingOf(line: string): Heading | null {
  const found = /^(\^?)\[([^\]]+)\](?:\[(\d{0,4})\])?(?:\s+(.*))?$/s.exec(line)
  if (!found) return null
  const [, optional, name = '', approvals, owners = ''] = found
  if (name.trim() === '') return null
  return {
    name: name.trim(),
    isOptional: optional === '^',
    approvals: Math.max(1, Number(approvals ?? 1)),
    owners: ownersIn(owners),
  }
}

const isBlankOrComment = (text: string) => text === '' || text.startsWith('#')

/** The effort for a line in addition to its length, in steps. */
const stepsPerLine = 50

/** Parses line by line into `sections`. */
function lineReader() {
  const unnamed: OwnedSection = { name: '', isOptional: false, approvals: 1, patterns: [] }
  const sections = new Map<string, OwnedSection>([['', unnamed]])
  let section = unnamed
  let sectionOwners: readonly CodeOwner[] = []

  function readLine(raw: string): void {
    const line = raw.trim()
    if (isBlankOrComment(line)) return
    const heading = headingOf(line)
    if (heading) {
      const { owners, ...named } = heading
      const key = named.name.toLowerCase()
      section = sections.get(key) ?? { ...named, patterns: [] }
      sections.set(key, section)
      sectionOwners = owners
      return
    }
    const end = endOfPattern(line)
    if (end > longestPattern) return
    const pattern = line.slice(0, end)
    const rest = line.slice(end).trim()
    section.patterns.push({
      pattern,
      matches: pathMatcher(pattern),
      owners: isBlankOrComment(rest) ? sectionOwners : ownersIn(rest),
    })
  }

  return { sections, readLine }
}

const linesOf = (text: string) => text.replace(/^\ufeff/, '').split(/\r?\n/)

/**
 * Parses a `CODEOWNERS` file in linear time. Invalid lines are ignored; sections with the same name, in any case, are
 * merged.
 */
export function parseCodeOwners(text: string): CodeOwners {
  const { sections, readLine } = lineReader()
  for (const line of linesOf(text)) readLine(line)
  return codeOwnersOf(sections)
}

/**
 * Like `parseCodeOwners`, and pauses between lines.
 * @throws TooMuchEffort
 */
export async function readCodeOwners(text: string, effort: Effort): Promise<CodeOwners> {
  const { sections, readLine } = lineReader()
  for (const line of linesOf(text)) {
    effort.spend(stepsPerLine + line.length)
    readLine(line)
    const waiting = effort.pause()
    if (waiting) await waiting
  }
  return codeOwnersOf(sections)
}

function codeOwnersOf(sections: ReadonlyMap<string, OwnedSection>): CodeOwners {
  const all = [...sections.values()].filter(({ patterns }) => patterns.length > 0)
  const ownership = (section: OwnedSection, last: OwnedPattern | undefined): PathOwnership[] =>
    last && last.owners.length > 0 ? [{ section, pattern: last.pattern, owners: last.owners }] : []
  return {
    sections: all,
    of(path) {
      const components = pathComponents(path)
      return all.flatMap((each) =>
        ownership(
          each,
          each.patterns.findLast(({ matches }) => matches(components)),
        ),
      )
    },
    async ofInSlices(path, effort) {
      const components = pathComponents(path)
      const found: PathOwnership[] = []
      for (const each of all) {
        for (const pattern of each.patterns.toReversed()) {
          const isLast = pattern.matches(components, effort)
          const waiting = effort.pause()
          if (waiting) await waiting
          if (!isLast) continue
          found.push(...ownership(each, pattern))
          break
        }
      }
      return found
    },
  }
}
