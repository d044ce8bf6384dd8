import { compareByBytes } from '../../infra/git/index.ts'

/** Runs of digits, runs of letters, and every other character by itself. */
const part = /\d+|\p{L}+|./gsu

/**
 * The rank of a part among the parts that may follow `previous`. After a number, a pre-release suffix (`1.0-rc1`, `1.0rc1`)
 * comes before the end of the name, and a further number (`1.0.1`) after it. Elsewhere the shorter name comes first.
 */
function rank(previous: string | undefined, text: string | undefined): number {
  const followsNumber = previous !== undefined && /^\d/.test(previous)
  if (followsNumber) {
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

/** Compares names as versions: numbers by value (`v1.9` before `v1.10`), pre-releases before their release. */
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
