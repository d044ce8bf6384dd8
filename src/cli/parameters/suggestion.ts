/** The number of characters to insert, delete or replace between two words. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** Fewer characters than this may begin many words. */
const shortestBeginning = 3
/** Longer words are not mistyped names. */
const longestWord = 100

/**
 * Finds the known name that was probably meant: the nearest one with at most two edits, or one that begins so.
 * @returns undefined when none is near
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined
  const distances = known.map((name) => ({ name, distance: editDistance(word, name) }))
  const [best] = distances.sort((a, b) => a.distance - b.distance)
  // Of a short name, two edits may leave nothing.
  if (best && best.distance <= Math.min(2, best.name.length - 2)) return best.name
  return word.length >= shortestBeginning ? known.find((name) => name.startsWith(word)) : undefined
}

/** ` (did you mean …?)`, or nothing when no name is near. */
export function suggestionOf(word: string, known: readonly string[]): string {
  const name = nearest(word, known)
  return name === undefined ? '' : ` (did you mean ${name}?)`
}
