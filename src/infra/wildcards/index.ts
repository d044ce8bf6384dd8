/** Patterns in which `*` is any text, and patterns of paths. */
export { globMatcher } from './globs.ts'

/**
 * Returns a test for texts: `*` matches any run of characters, `/` included; everything else is literal and
 * case-sensitive (contract 01, "Wildcard matching"). Pieces between wildcards are searched from the left, each once, so the
 * time is linear.
 */
export function wildcardMatcher(pattern: string): (name: string) => boolean {
  if (!pattern.includes('*')) return (name) => name === pattern
  const pieces = pattern.split('*')
  const first = pieces.shift() ?? ''
  const last = pieces.pop() ?? ''
  const inner = pieces.filter((piece) => piece !== '')
  const least = first.length + last.length
  return (name) => {
    if (name.length < least || !name.startsWith(first) || !name.endsWith(last)) return false
    const end = name.length - last.length
    let from = first.length
    for (const piece of inner) {
      const found = name.indexOf(piece, from)
      if (found < 0 || found + piece.length > end) return false
      from = found + piece.length
    }
    return true
  }
}
