import { compareByBytes } from '../../../infra/git/index.ts'

/** How well a path matches; less is better, null for a path that does not. */
export type Rank = (path: string) => number | null

/** Whether all letters are there in their order, others between them. */
function hasInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    const found = text.indexOf(letter, at)
    if (found < 0) return false
    at = found + letter.length
  }
  return true
}

/**
 * Ranks paths by letters of one, in any case and without its blanks: the name of the file, its beginning, a part of the
 * name, a part of the path, letters of the name in their order, letters of the path in their order.
 */
export function rankOf(search: string): Rank {
  const wanted = search.replace(/\s+/g, '').toLowerCase()
  return (path) => {
    const text = path.toLowerCase()
    if (!hasInOrder(text, wanted)) return null
    const name = text.slice(text.lastIndexOf('/') + 1)
    if (name === wanted) return 0
    if (name.startsWith(wanted)) return 1
    if (name.includes(wanted)) return 2
    if (text.includes(wanted)) return 3
    return hasInOrder(name, wanted) ? 4 : 5
  }
}

export type Ranked = { path: string; rank: number }

/** The order of what was found: by rank, then short paths, then by name. */
export function compareRanked(one: Ranked, other: Ranked): number {
  return one.rank - other.rank || one.path.length - other.path.length || compareByBytes(one.path, other.path)
}
