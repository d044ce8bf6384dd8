import type { Effort } from './effort.ts'

/** Part of a component's pattern: a character, any character, any run of characters, or a set. */
type Token = string | typeof any | typeof run | CharacterSet
type CharacterSet = { kind: 'set'; negated: boolean; ranges: readonly (readonly [from: string, to: string])[] }

const any = { kind: 'any' } as const
const run = { kind: 'run' } as const

/** A component of a pattern; `null` matches any number of whole components. */
type Component = readonly Token[] | null

/** The end of the set that starts at `start`; -1 when it is not closed, so `[` is literal. */
function endOfSet(text: string, start: number): number {
  const first = text[start + 1] === '!' || text[start + 1] === '^' ? start + 2 : start + 1
  return text.indexOf(']', first + 1)
}

function characterSet(inner: string): CharacterSet {
  const negated = inner.startsWith('!') || inner.startsWith('^')
  const characters = [...(negated ? inner.slice(1) : inner)]
  const ranges: [string, string][] = []
  for (let index = 0; index < characters.length; index += 1) {
    const from = characters[index] as string
    const to = characters[index + 2]
    if (characters[index + 1] === '-' && to !== undefined) {
      ranges.push([from, to])
      index += 2
    } else ranges.push([from, from])
  }
  return { kind: 'set', negated, ranges }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let index = 0; index < text.length; index += 1) {
    const character = String.fromCodePoint(text.codePointAt(index) as number)
    const end = character === '[' ? endOfSet(text, index) : -1
    if (character === '*') {
      if (tokens.at(-1) !== run) tokens.push(run)
    } else if (character === '?') tokens.push(any)
    else if (end > 0) {
      tokens.push(characterSet(text.slice(index + 1, end)))
      index = end
    } else if (character === '\\' && index + 1 < text.length) {
      const escaped = String.fromCodePoint(text.codePointAt(index + 1) as number)
      tokens.push(escaped)
      index += escaped.length
    } else {
      tokens.push(character)
      index += character.length - 1
    }
  }
  return tokens
}

function fits(token: Token, character: string): boolean {
  if (typeof token === 'string') return token === character
  if (token.kind !== 'set') return true
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated
}

/**
 * Matches a sequence against a pattern with runs. Backtracking to the last run is enough, so the time is bounded by the
 * product of the lengths.
 */
function matchesRuns<P, V>(
  pattern: readonly P[],
  values: readonly V[],
  isRun: (part: P) => boolean,
  agree: (part: P, value: V) => boolean,
  effort: Effort,
): boolean {
  let [position, index, runPosition, runIndex] = [0, 0, -1, 0]
  while (index < values.length) {
    effort.spend(1)
    const current = pattern[position]
    if (current !== undefined && isRun(current)) {
      runPosition = position
      runIndex = index
      position += 1
    } else if (current !== undefined && agree(current, values[index] as V)) {
      position += 1
      index += 1
    } else if (runPosition >= 0) {
      runIndex += 1
      index = runIndex
      position = runPosition + 1
    } else return false
  }
  return pattern.slice(position).every(isRun)
}

function matchesComponent(tokens: readonly Token[], characters: readonly string[], effort: Effort): boolean {
  const agree = (token: Token, character: string) => {
    if (typeof token !== 'string' && token.kind === 'set') effort.spend(token.ranges.length)
    return fits(token, character)
  }
  return matchesRuns(tokens, characters, (token) => token === run, agree, effort)
}

function componentsOf(pattern: string): Component[] {
  const isAnchored = pattern.startsWith('/')
  const isDirectory = pattern.endsWith('/')
  const parts = pattern.split('/').filter((part) => part !== '')
  const components: Component[] = parts.map((part) => (part === '**' ? null : tokensOf(part)))
  // A directory matches what is in it, not itself; so does a pattern that ends in `**`.
  const isTree = isDirectory || components.at(-1) === null
  return [...(isAnchored ? [] : [null]), ...components, ...(isTree ? [null, tokensOf('*')] : [])]
}

/** A path split into characters, once for many patterns. */
export type PathComponents = readonly (readonly string[])[]

export function pathComponents(path: string): PathComponents {
  return path.split('/').map((part) => [...part])
}

/**
 * Returns the test for a pattern of `CODEOWNERS`. A leading `/` anchors it at the root; a trailing `/` matches everything
 * below; `*` and `?` match within a component, `**` any number of components. @throws TooMuchEffort when tested
 */
export function pathMatcher(pattern: string): (path: PathComponents, effort: Effort) => boolean {
  // Parsed at the first test, because most patterns of a large file are never tested.
  let components: readonly Component[] | null = null
  return (path, effort) => {
    if (components === null) effort.spend(pattern.length)
    components ??= componentsOf(pattern)
    const agree = (component: Component, characters: readonly string[]) =>
      component !== null && matchesComponent(component, characters, effort)
    return matchesRuns(components, path, (component) => component === null, agree, effort)
  }
}
