import { compileRegex, quoteRegex } from '../regex/index.ts'

/** Whether every `{` has its `}`. */
function isBalanced(pattern: string): boolean {
  let open = 0
  for (const character of pattern) {
    if (character === '{') open += 1
    if (character === '}') open -= 1
    if (open < 0) return false
  }
  return open === 0
}

const parts = /\*\*\/|\*\*|\[[!^]?[^\]/]+\]|[\s\S]/g
const simple: Record<string, string> = { '**/': '(?:[^/]+/)*', '**': '.*', '*': '[^/]*', '?': '[^/]' }

function expressionOf(pattern: string): string {
  const hasBraces = isBalanced(pattern)
  let depth = 0
  const translate = (part: string): string => {
    if (Object.hasOwn(simple, part)) return simple[part] ?? ''
    if (part.length > 1) {
      const [, negated = '', characters = ''] = /^\[([!^]?)([\s\S]+)\]$/.exec(part) ?? []
      return `[${negated && '^'}${characters.replace(/[\\[\]^&]/g, '\\$&')}]`
    }
    if (hasBraces && part === '{') {
      depth += 1
      return '(?:'
    }
    if (hasBraces && part === '}') {
      depth -= 1
      return ')'
    }
    return depth > 0 && part === ',' ? '|' : quoteRegex(part)
  }
  return (pattern.match(parts) ?? []).map(translate).join('')
}

/**
 * Returns a test of paths from the root: `*`, `**`, `?`, `{a,b}` and `[…]` (contract 04, Globs). It takes linear time; a
 * pattern that cannot be compiled matches only itself.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const own = pattern.replace(/^\.?\//, '')
  if (!/[*?{[]/.test(own)) return (path) => path === own
  try {
    const compiled = compileRegex(expressionOf(own), { dotAll: true })
    return (path) => compiled.matches(path)
  } catch {
    return (path) => path === own
  }
}
