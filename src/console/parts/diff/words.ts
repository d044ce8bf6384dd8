import { type Html, trusted } from '../../html/index.ts'

/** A part of a line, in characters. */
export type Span = readonly [from: number, to: number]

const wordsIn = (line: string) => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []

/** Comparing takes time and memory by the product of the numbers of words. */
const mostCompared = 4_000
/** Lines with less in common than this share are two lines, not one that was changed. */
const leastCommon = 0.35

/** For each pair of positions, the length of what the rest of both lists has in common. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1))
  for (let i = one.length - 1; i >= 0; i -= 1) {
    const row = table[i] as Uint16Array
    const next = table[i + 1] as Uint16Array
    for (let j = other.length - 1; j >= 0; j -= 1) {
      row[j] = one[i] === other[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}

/** Which words of two lists are not in the other. */
function changedWords(one: readonly string[], other: readonly string[]): [boolean[], boolean[]] {
  const changed: [boolean[], boolean[]] = [one.map(() => true), other.map(() => true)]
  if (one.length * other.length > mostCompared) return changed
  const table = commonLengths(one, other)
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) {
      changed[0][i++] = false
      changed[1][j++] = false
    } else if ((table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)) i += 1
    else j += 1
  }
  return changed
}

/** The parts of a line that its changed words make; neighbours are joined. */
function spansOf(words: readonly string[], changed: readonly boolean[], start: number): Span[] {
  const spans: [number, number][] = []
  let at = start
  for (const [index, { length }] of words.entries()) {
    const last = spans.at(-1)
    if (changed[index] && last?.[1] === at) last[1] += length
    else if (changed[index]) spans.push([at, at + length])
    at += length
  }
  return spans
}

const lengthOf = (words: readonly string[]) => words.reduce((sum, { length }) => sum + length, 0)

/** The words that differ between a removed line and the one that was added in its place; none when they have little in common. */
export function changedSpans(removed: string, added: string): [Span[], Span[]] {
  const [one, other] = [wordsIn(removed), wordsIn(added)]
  const shorter = Math.min(one.length, other.length)
  let first = 0
  while (first < shorter && one[first] === other[first]) first += 1
  let last = 0
  while (last < shorter - first && one.at(-1 - last) === other.at(-1 - last)) last += 1
  const middle = [one.slice(first, one.length - last), other.slice(first, other.length - last)] as const
  const changed = changedWords(...middle)
  const start = lengthOf(one.slice(0, first))
  const spans: [Span[], Span[]] = [spansOf(middle[0], changed[0], start), spansOf(middle[1], changed[1], start)]
  const marked = spans.flat().reduce((sum, [from, to]) => sum + to - from, 0)
  return 1 - marked / Math.max(1, removed.length + added.length) < leastCommon ? [[], []] : spans
}

/** Marks parts of a highlighted line. A mark ends before every tag and begins again after it. */
export function withMarks(line: Html, spans: readonly Span[]): Html {
  if (spans.length === 0) return line
  let html = ''
  let at = 0
  let isMarked = false
  const mark = (wanted: boolean) => {
    if (wanted !== isMarked) html += wanted ? '<mark>' : '</mark>'
    isMarked = wanted
  }
  for (const [piece] of line.text.matchAll(/<[^>]*>|&#?\w+;|[^<&]|&/g)) {
    if (piece.startsWith('<')) mark(false)
    else {
      mark(spans.some(([from, to]) => at >= from && at < to))
      at += 1
    }
    html += piece
  }
  mark(false)
  return trusted(html)
}
