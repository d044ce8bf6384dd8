import type { AnyField } from './field.ts'

export type Present = (row: unknown, view?: unknown) => Record<string, unknown>

/** A name in the code of an object; this one alone would set the prototype. */
const keyOf = (name: string) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name))

/**
 * Makes the function that presents a row: one object literal, its code generated from the fields. An object of a hundred members
 * that is built one by one becomes a hash table, and each access by a computed name is a search. The code contains names of fields
 * and members, and no values.
 */
export function presenterOf(fields: Readonly<Record<string, AnyField>>): Present {
  /** Functions that the code calls, each once. */
  const functions: unknown[] = []
  const called = (one: unknown) => {
    const index = functions.indexOf(one)
    return `f${index < 0 ? functions.push(one) - 1 : index}`
  }
  /** Conditions, each evaluated once for all fields that it is of. */
  const conditions = new Map<string, string>()
  const held = (call: string) => {
    const name = conditions.get(call) ?? `c${conditions.size}`
    conditions.set(call, name)
    return name
  }
  const codeOf = ({ origin }: AnyField): string => {
    if (origin.kind === 'nested') return literalOf(origin.fields)
    if (origin.kind === 'computed') return `${called(origin.read)}(row, view)`
    return `row${origin.path.map((name) => `[${JSON.stringify(name)}]`).join('')}`
  }
  const memberOf = ([name, field]: [string, AnyField]) => {
    const { row, view } = field.conditions
    const shown = [
      ...view.map((condition) => held(`${called(condition)}(view)`)),
      ...row.map((condition) => held(`${called(condition)}(row, view)`)),
    ]
    const value = codeOf(field)
    return `${keyOf(name)}: ${shown.length === 0 ? value : `${shown.join(' && ')} ? ${value} : undefined`}`
  }
  const literalOf = (nested: Readonly<Record<string, AnyField>>): string =>
    `{ ${Object.entries(nested).map(memberOf).join(', ')} }`

  const literal = literalOf(fields)
  const code = `
    const [${functions.map((_, index) => `f${index}`).join(', ')}] = functions
    return (row, view) => {
      ${[...conditions].map(([call, name]) => `const ${name} = ${call}`).join('\n')}
      return ${literal}
    }`
  return new Function('functions', code)(functions) as Present
}
