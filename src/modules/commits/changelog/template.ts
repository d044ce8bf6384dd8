import { changelogProblem } from './problem.ts'

/**
 * The language of changelog templates: `{{ a.b }}` prints, `{% if a %}…{% else %}…{% end %}`
 * chooses, `{% each a %}…{% end %}` repeats. A tag with `%` removes the line break after it, and so does a backslash at
 * the end of a line. There are no expressions, and the cost is limited.
 */
export type Template = readonly Part[]

type Part =
  | { kind: 'text'; text: string }
  | { kind: 'print'; path: readonly string[] }
  | { kind: 'if'; path: readonly string[]; chosen: Part[]; otherwise: Part[] }
  | { kind: 'each'; path: readonly string[]; body: Part[] }

/** A path in the data: `it` is the current value, a name is a member of it. */
export type TemplateValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly TemplateValue[]
  | { readonly [name: string]: TemplateValue }

const maximumDepth = 100
const maximumSteps = 2_000_000
const maximumLength = 8 * 1024 * 1024

/** A tag, or the escaped end of a line. */
const special = /\{\{([^{}]*)\}\}|\{%([^{}]*)%\}(?:\r?\n)?|\\\r?\n/g
const path = /^[\w-]+(?:\.[\w-]+)*$/

function pathOf(text: string): string[] {
  if (!path.test(text)) throw changelogProblem(`the template has a variable that is none: ${text.slice(0, 100)}`)
  return text.split('.')
}

/** An open block, and the list to which parts are added. */
type Open = { part: Extract<Part, { kind: 'if' | 'each' }> | null; target: Part[]; hasElse: boolean }

function text(target: Part[], value: string): void {
  if (/\{\{|\{%/.test(value)) throw changelogProblem('the template has a tag that does not end')
  if (value !== '') target.push({ kind: 'text', text: value })
}

function statement(stack: Open[], source: string): void {
  const [word = '', ...operands] = source.trim().split(/\s+/)
  const open = stack.at(-1) as Open
  const [operand = ''] = operands
  if ((word === 'if' || word === 'each') && operands.length === 1) {
    if (stack.length > maximumDepth) throw changelogProblem('the template nests too deep')
    const part: Open['part'] =
      word === 'if'
        ? { kind: 'if', path: pathOf(operand), chosen: [], otherwise: [] }
        : { kind: 'each', path: pathOf(operand), body: [] }
    open.target.push(part)
    stack.push({ part, target: part.kind === 'if' ? part.chosen : part.body, hasElse: false })
  } else if (word === 'else' && operands.length === 0 && open.part?.kind === 'if' && !open.hasElse) {
    open.hasElse = true
    open.target = open.part.otherwise
  } else if (word === 'end' && operands.length === 0 && open.part) stack.pop()
  else throw changelogProblem(`the template has a statement that makes no sense: ${source.trim().slice(0, 100)}`)
}

/** Parses a template. @throws ApiError 422 for a syntax error */
export function parseTemplate(source: string): Template {
  const root: Part[] = []
  const stack: Open[] = [{ part: null, target: root, hasElse: false }]
  let end = 0
  for (const match of source.matchAll(special)) {
    const { target } = stack.at(-1) as Open
    text(target, source.slice(end, match.index))
    end = match.index + match[0].length
    if (match[1] !== undefined) target.push({ kind: 'print', path: pathOf(match[1].trim()) })
    else if (match[2] !== undefined) statement(stack, match[2])
  }
  text((stack.at(-1) as Open).target, source.slice(end))
  if (stack.length > 1) throw changelogProblem('the template has a statement without its end')
  return root
}

function memberOf(value: TemplateValue, name: string): TemplateValue {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, TemplateValue>)[name]
}

function valueAt(scope: TemplateValue, [first = '', ...rest]: readonly string[]): TemplateValue {
  return rest.reduce(memberOf, first === 'it' ? scope : memberOf(scope, first))
}

function isTrue(value: TemplateValue): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return value !== undefined && value !== null && value !== false && value !== ''
}

function shown(value: TemplateValue): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Renders a template. @throws ApiError 422 above the limits of steps and output */
export function renderTemplate(template: Template, data: TemplateValue): string {
  const output: string[] = []
  let steps = 0
  let length = 0

  function add(value: string): void {
    length += value.length
    if (length > maximumLength) throw changelogProblem('it is too large')
    output.push(value)
  }

  function render(parts: Template, scope: TemplateValue): void {
    for (const part of parts) {
      steps += 1
      if (steps > maximumSteps) throw changelogProblem('the template takes too long')
      if (part.kind === 'text') add(part.text)
      else if (part.kind === 'print') add(shown(valueAt(scope, part.path)))
      else if (part.kind === 'if') render(isTrue(valueAt(scope, part.path)) ? part.chosen : part.otherwise, scope)
      else {
        const values = valueAt(scope, part.path)
        for (const value of Array.isArray(values) ? values : []) {
          steps += 1
          render(part.body, value)
        }
      }
    }
  }

  render(template, data)
  return output.join('')
}
