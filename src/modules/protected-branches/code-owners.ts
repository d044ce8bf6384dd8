import type { Effort } from './code-owners-effort.ts'
import { type PathComponents, pathComponents, pathMatcher } from './code-owners-pattern.ts'

/** Somebody who owns files: a user or a group by name, or whoever has an e-mail address; in lower case. */
export type CodeOwner = { kind: 'name'; name: string } | { kind: 'email'; email: string }

export type OwnedPattern = {
  /** As it stands in the file. */
  pattern: string
  matches(path: PathComponents, effort?: Effort): boolean
  owners: readonly CodeOwner[]
}

export type OwnedSection = {
  name: string
  /** Approval is welcome, not needed. */
  isOptional: boolean
  /** How many of its owners have to approve a merge request. */
  approvals: number
  patterns: OwnedPattern[]
}

/** The pattern that decides about a path in a section. */
export type PathOwnership = { section: OwnedSection; pattern: string; owners: readonly CodeOwner[] }

/** What `CODEOWNERS` says. */
export type CodeOwners = {
  sections: readonly OwnedSection[]
  /** For each section the last pattern that matches, where it names owners (contract 01, "Pushing by git"). */
  of(path: string): PathOwnership[]
  /**
   * As `of`, with a pause between any two patterns: there may be many, and each may take long.
   * @throws TooMuchEffort
   */
  inTurns(path: string, effort: Effort): Promise<PathOwnership[]>
}

const ownerName = /^@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_-])?(?:\/[\p{L}\p{N}_][\p{L}\p{N}_.-]*)*$/u
const emailAddress = /^[^\s@]+@[^\s@]+$/

/** No path is longer than this, so neither is a pattern that could match one. */
const longestPattern = 4_096

/** The words of a line up to a comment; what a word is no owner's is left out. */
function ownersIn(text: string): CodeOwner[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const comment = words.findIndex((word) => word.startsWith('#'))
  const named = comment < 0 ? words : words.slice(0, comment)
  return named.flatMap((word): CodeOwner[] => {
    if (ownerName.test(word)) return [{ kind: 'name', name: word.slice(1).toLowerCase() }]
    return emailAddress.test(word) ? [{ kind: 'email', email: word.toLowerCase() }] : []
  })
}

/** Where the pattern at the beginning of a line ends: at the first white space that is not escaped. */
function endOfPattern(line: string): number {
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '\\') index += 1
    else if (line[index] === ' ' || line[index] === '\t') return index
  }
  return line.length
}

type Heading = { name: string; isOptional: boolean; approvals: number; owners: readonly CodeOwner[] }

/** `[Name]`, `^[Name][2] @owner …`; null for a line that is none. */
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

const isBare = (text: string) => text === '' || text.startsWith('#')

/** What a line costs beside its length, in steps of a comparison. */
const stepsPerLine = 50

/** Takes one line after the other; `sections` has what they said so far. */
function lineReader() {
  const unnamed: OwnedSection = { name: '', isOptional: false, approvals: 1, patterns: [] }
  const sections = new Map<string, OwnedSection>([['', unnamed]])
  let section = unnamed
  let usual: readonly CodeOwner[] = []

  function take(raw: string): void {
    const line = raw.trim()
    if (isBare(line)) return
    const heading = headingOf(line)
    if (heading) {
      const { owners, ...named } = heading
      const key = named.name.toLowerCase()
      section = sections.get(key) ?? { ...named, patterns: [] }
      sections.set(key, section)
      usual = owners
      return
    }
    const end = endOfPattern(line)
    if (end > longestPattern) return
    const pattern = line.slice(0, end)
    const rest = line.slice(end).trim()
    section.patterns.push({ pattern, matches: pathMatcher(pattern), owners: isBare(rest) ? usual : ownersIn(rest) })
  }

  return { sections, take }
}

const linesOf = (text: string) => text.replace(/^\ufeff/, '').split(/\r?\n/)

/**
 * Reads a `CODEOWNERS` file. Lines that make no sense are left out; sections of one name, whatever its case, are one.
 * Never slower than the file is long.
 */
export function parseCodeOwners(text: string): CodeOwners {
  const { sections, take } = lineReader()
  for (const line of linesOf(text)) take(line)
  return codeOwnersOf(sections)
}

/**
 * As `parseCodeOwners`, with a pause between any two lines.
 * @throws TooMuchEffort
 */
export async function readCodeOwners(text: string, effort: Effort): Promise<CodeOwners> {
  const { sections, take } = lineReader()
  for (const line of linesOf(text)) {
    effort.spend(stepsPerLine + line.length)
    take(line)
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
    async inTurns(path, effort) {
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
