/** Parses commit and tag objects. */
import { type Oid, parseOid } from '../model/names.ts'
import type { Commit, Person, TagObject, Trailer } from '../model/types.ts'

/** The last second of the year 9999. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1_000

/**
 * Parses the content of a commit object. Damaged parts are empty in the result, so that the history stays readable.
 * @returns null when it does not begin like a commit
 */
export function parseCommit(oid: Oid, content: Buffer): Commit | null {
  const { lines, body: message } = partsOf(content)
  const treeOid = parseOid(valuesOf(lines, 'tree')[0] ?? '')
  if (treeOid === null) return null
  return {
    oid,
    treeOid,
    parentOids: valuesOf(lines, 'parent').flatMap((value) => parseOid(value) ?? []),
    author: parsePerson(valuesOf(lines, 'author')[0] ?? ''),
    committer: parsePerson(valuesOf(lines, 'committer')[0] ?? ''),
    message,
    title: message.split('\n', 1)[0]?.trimEnd() ?? '',
    trailers: parseTrailers(message),
  }
}

/** The lines of an object's header, and the text after it. */
function partsOf(content: Buffer): { lines: readonly string[]; body: string } {
  const text = decode(content)
  const end = text.indexOf('\n\n')
  return end < 0
    ? { lines: text.split('\n'), body: '' }
    : { lines: text.slice(0, end).split('\n'), body: text.slice(end + 2) }
}

/** Values of a header; continuation lines (signatures) begin with a space and never match. */
function valuesOf(lines: readonly string[], name: string): string[] {
  return lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
}

/** Decodes by the commit's encoding header, by default UTF-8. Invalid bytes become U+FFFD. */
function decode(content: Buffer): string {
  const text = content.toString('utf8')
  const header = text.slice(0, Math.max(0, text.indexOf('\n\n')))
  const encoding = /^encoding (.+)$/m.exec(header)?.[1]
  if (encoding === undefined) return text
  try {
    return new TextDecoder(encoding.trim(), { ignoreBOM: true }).decode(content)
  } catch {
    return text
  }
}

/** Parses `Name <email> seconds zone`. The time depends only on the seconds. */
function parsePerson(line: string): Person {
  const match = /^(.*?) ?<([^>]*)>(?: (-?\d+))?/.exec(line)
  return { name: match?.[1] ?? line, email: match?.[2] ?? '', date: isoDate(match?.[3]) }
}

/** Dates are clamped to the years 1970 to 9999, so that forged ones do not break lists. */
function isoDate(seconds: string | undefined): string {
  const value = Math.min(Math.max(Number(seconds ?? 0), 0), LAST_SECOND)
  return new Date(value * 1_000).toISOString()
}

/** A signature is the last part of a tag's message. */
const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m

/** Parses the content of a tag object, as `parseCommit` does. @returns null when it does not begin like a tag */
export function parseTagObject(oid: Oid, content: Buffer): TagObject | null {
  const { lines, body } = partsOf(content)
  const target = parseOid(valuesOf(lines, 'object')[0] ?? '')
  const targetType = (['commit', 'tag', 'tree', 'blob'] as const).find((type) => type === valuesOf(lines, 'type')[0])
  if (target === null || targetType === undefined) return null
  const tagger = valuesOf(lines, 'tagger')[0]
  const signed = SIGNATURE.exec(body)?.index
  return {
    oid,
    name: valuesOf(lines, 'tag')[0] ?? '',
    target,
    targetType,
    tagger: tagger === undefined ? null : parsePerson(tagger),
    message: body.slice(0, signed),
    signature: signed === undefined ? null : body.slice(signed),
  }
}

const GIT_MADE = /^(?:Signed-off-by: |\(cherry picked from commit )/
const TRAILER = /^([A-Za-z0-9-]+)[ \t]*:(.*)$/

/** In UTF-16 units. Trailers of a longer paragraph are not read: a message of megabytes could consist of them. */
const LONGEST_TRAILER_BLOCK = 65_536

/**
 * Parses trailers as `git interpret-trailers --parse --no-divider`: from the last paragraph, unless that is the title, or has more than
 * 65,536 characters (contract 22, Commit).
 */
export function parseTrailers(message: string): Trailer[] {
  const trailers: { key: string; parts: string[] }[] = []
  let open = false
  for (const line of trailerBlock(message)) {
    const match = TRAILER.exec(line)
    if (/^\s/.test(line)) {
      if (open) trailers.at(-1)?.parts.push(line.trim())
    } else {
      if (match !== null) trailers.push({ key: match[1] ?? '', parts: [(match[2] ?? '').trim()] })
      open = match !== null
    }
  }
  return trailers.map(({ key, parts }) => ({ key, value: parts.join(' ').trim() }))
}

const isBlank = (line: string) => line.trim() === ''

/** The lines of the last paragraph, when a blank line precedes it; nothing when it is too long. */
function lastParagraph(message: string): string[] {
  const lineEnd = message.indexOf('\n', message.trimEnd().length)
  const end = lineEnd < 0 ? message.length : lineEnd
  const start = Math.max(0, end - LONGEST_TRAILER_BLOCK - 2)
  const lines = message.slice(start, end).split('\n')
  // The first line may be a part of one.
  const blank = lines.findLastIndex((line, index) => (index > 0 || start === 0) && isBlank(line))
  return blank < 0 ? [] : lines.slice(blank + 1)
}

/** The lines of the trailer block, by git's rule: all of them trailers, or one made by git and at least a quarter trailers. */
function trailerBlock(message: string): readonly string[] {
  const block = lastParagraph(message).filter((line) => !line.startsWith('#'))
  return isTrailerBlock(block) ? block : []
}

function isTrailerBlock(block: readonly string[]): boolean {
  let trailers = 0
  let others = 0
  let continuations = 0
  let gitMade = false
  for (const line of block.toReversed()) {
    if (GIT_MADE.test(line) || TRAILER.test(line)) {
      gitMade ||= GIT_MADE.test(line)
      trailers += 1
      continuations = 0
    } else if (/^\s/.test(line)) continuations += 1
    else {
      others += 1 + continuations
      continuations = 0
    }
  }
  others += continuations
  return gitMade ? trailers * 3 >= others : trailers > 0 && others === 0
}
