import { compareByBytes } from '../../infra/git/index.ts'

/** Runs of digits, runs of letters, and every other character by itself. */
const part = /\d+|\p{L}+|./gsu

/**
 * Where a part stands among those that could be in its place. Behind a number the end comes after what makes a candidate of
 * a version (`1.0-rc1`, `1.0rc1`), and before what makes a later one of it (`1.0.1`); elsewhere what is shorter is first.
 */
function rank(previous: string | undefined, text: string | undefined): number {
  const isBehindNumber = previous !== undefined && /^\d/.test(previous)
  if (isBehindNumber) {
    if (text === undefined) return 1
    return text === '-' || /^\p{L}/u.test(text) ? 0 : 2
  }
  if (text === undefined) return 0
  if (/^\d/.test(text)) return 1
  return /^\p{L}/u.test(text) ? 2 : 3
}

function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length - right.length || compareByBytes(left, right)
}

/**
 * Orders names as versions: numbers by their value (`v1.9` before `v1.10`), candidates before what they are candidates of.
 * @returns below zero when `a` comes first; zero only for the same name
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.match(part) ?? [], b.match(part) ?? []]
  for (let index = 0; index < left.length || index < right.length; index += 1) {
    const [one, other] = [left[index], right[index]]
    const difference = rank(left[index - 1], one) - rank(right[index - 1], other)
    if (difference !== 0) return difference
    if (one === undefined || other === undefined) break
    const isNumber = /^\d/.test(one) && /^\d/.test(other)
    const order = isNumber ? compareNumbers(one, other) : compareByBytes(one, other)
    if (order !== 0) return order
  }
  return compareByBytes(a, b)
}
