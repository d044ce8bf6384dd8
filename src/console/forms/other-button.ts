import { type Operation, parseNestedParameters } from '../../api/index.ts'

/** The name of the hidden field that describes a further button of a form. */
export const otherButtonField = '_other'

/** A button of a form that performs another operation than the form, with the same fields. */
export type OtherButton = {
  performs: Operation
  /** Fields whose values the operation takes under other names, by those names. */
  takes?: Readonly<Record<string, string>>
  /** Where the browser goes then, where that is not where it goes after the form. */
  goesTo?: string
}

/** The value of the hidden field. */
export function describeButton({ performs, takes = {}, goesTo }: OtherButton): string {
  return String(
    new URLSearchParams({ ...takes, _operation: performs.id, ...(goesTo !== undefined && { _to: goesTo }) }),
  )
}

/** What a form sends to an operation: with the names and the way on of its further button, where that has sent it. */
export function sentByButton(
  described: unknown,
  operation: Operation,
  fields: Record<string, unknown>,
): { fields: Record<string, unknown>; goesTo?: unknown } {
  const read = typeof described === 'string' ? parseNestedParameters(described) : {}
  const { _operation: id, _to: goesTo, ...takes } = read
  if (id !== operation.id) return { fields }
  const taken = Object.entries(takes).flatMap(([name, from]) =>
    typeof from === 'string' && Object.hasOwn(fields, from) ? [[name, fields[from]] as const] : [],
  )
  return { fields: { ...fields, ...Object.fromEntries(taken) }, ...(goesTo !== undefined && { goesTo }) }
}
