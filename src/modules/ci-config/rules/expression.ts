import { compileRegex, type Regex } from '../../../infra/regex/index.ts'

/** Values of variables; undefined when a variable is not set. */
export type Lookup = (name: string) => string | undefined

type Value = string | null | { pattern: Regex }
type Evaluate = (variables: Lookup) => Value | boolean

const tokens =
  /\s*(?:(&&|\|\||==|!=|=~|!~|\(|\))|\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?|"([^"]*)"|'([^']*)'|\/((?:[^/\\]|\\.)+)\/([a-z]*)|(null)\b)/y

type Token =
  | { kind: 'operator'; text: string }
  | { kind: 'variable'; name: string }
  | { kind: 'text'; value: string | null }
  | { kind: 'pattern'; source: string; flags: string }

const longestExpression = 10_000
const largestProgram = 5000

function tokenize(text: string): Token[] | null {
  if (text.length > longestExpression) return null
  const found: Token[] = []
  const end = text.trimEnd().length
  for (tokens.lastIndex = 0; tokens.lastIndex < end; ) {
    const match = tokens.exec(text)
    if (!match) return null
    const [, operator, name, double, single, source, flags = '', nothing] = match
    if (operator !== undefined) found.push({ kind: 'operator', text: operator })
    else if (name !== undefined) found.push({ kind: 'variable', name })
    else if (source !== undefined) found.push({ kind: 'pattern', source, flags })
    else if (nothing !== undefined) found.push({ kind: 'text', value: null })
    else found.push({ kind: 'text', value: double ?? single ?? '' })
  }
  return found
}

/** Compiles `/source/flags`; null when it is no RE2 pattern, or too large. */
export function compilePattern(source: string, flags: string): Regex | null {
  try {
    const compiled = compileRegex(source.replaceAll('\\/', '/'), { ignoreCase: flags.includes('i') })
    return compiled.programSize() <= largestProgram ? compiled : null
  } catch {
    return null
  }
}

const isTrue = (value: Value | boolean) => (typeof value === 'boolean' ? value : value !== null && value !== '')

/** A pattern may also be the text of a variable: `/…/` with flags. */
function patternOf(value: Value | boolean): Regex | null {
  if (typeof value === 'object' && value !== null) return value.pattern
  const [, source, flags = ''] = /^\/((?:[^/\\]|\\.)+)\/([a-z]*)$/.exec(String(value ?? '')) ?? []
  return source === undefined ? null : compilePattern(source, flags)
}

function matches(left: Value | boolean, right: Value | boolean): boolean {
  if (typeof left !== 'string') return false
  const pattern = patternOf(right)
  if (pattern) return pattern.matcher(left).find()
  return typeof right === 'string' && left.includes(right)
}

class SyntaxProblem extends Error {}

/** Recursive descent: `||` below `&&` below comparisons. Parentheses are bounded in depth. */
class Parser {
  #position = 0
  #depth = 0
  readonly #tokens: readonly Token[]

  constructor(all: readonly Token[]) {
    this.#tokens = all
  }

  parse(): Evaluate {
    const parsed = this.#or()
    if (this.#position < this.#tokens.length) throw new SyntaxProblem()
    return parsed
  }

  #take(...operators: string[]): string | null {
    const token = this.#tokens[this.#position]
    if (token?.kind !== 'operator' || !operators.includes(token.text)) return null
    this.#position += 1
    return token.text
  }

  #or(): Evaluate {
    let left = this.#and()
    while (this.#take('||')) {
      const [first, second] = [left, this.#and()]
      left = (variables) => isTrue(first(variables)) || isTrue(second(variables))
    }
    return left
  }

  #and(): Evaluate {
    let left = this.#comparison()
    while (this.#take('&&')) {
      const [first, second] = [left, this.#comparison()]
      left = (variables) => isTrue(first(variables)) && isTrue(second(variables))
    }
    return left
  }

  #comparison(): Evaluate {
    const left = this.#operand()
    const operator = this.#take('==', '!=', '=~', '!~')
    if (operator === null) return left
    const right = this.#operand()
    if (operator === '==') return (variables) => left(variables) === right(variables)
    if (operator === '!=') return (variables) => left(variables) !== right(variables)
    if (operator === '=~') return (variables) => matches(left(variables), right(variables))
    return (variables) => !matches(left(variables), right(variables))
  }

  #operand(): Evaluate {
    if (this.#take('(')) {
      this.#depth += 1
      if (this.#depth > 50) throw new SyntaxProblem()
      const inner = this.#or()
      if (!this.#take(')')) throw new SyntaxProblem()
      this.#depth -= 1
      return inner
    }
    const token = this.#tokens[this.#position]
    this.#position += 1
    if (token?.kind === 'variable') return (variables) => variables(token.name) ?? null
    if (token?.kind === 'text') return () => token.value
    if (token?.kind !== 'pattern') throw new SyntaxProblem()
    const pattern = compilePattern(token.source, token.flags)
    if (!pattern) throw new SyntaxProblem()
    return () => ({ pattern })
  }
}

/**
 * Parses an expression of `if` (contract 04, Expressions).
 * @returns its test; null when the syntax is invalid
 */
export function parseExpression(text: string): ((variables: Lookup) => boolean) | null {
  const found = tokenize(text)
  if (!found) return null
  try {
    const evaluate = new Parser(found).parse()
    return (variables) => isTrue(evaluate(variables))
  } catch (error) {
    if (error instanceof SyntaxProblem) return null
    throw error
  }
}
