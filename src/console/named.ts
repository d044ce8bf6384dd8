import type { Operation } from '../api/index.ts'
import { modules } from '../modules.ts'

const byId = new Map(modules.flatMap(({ operations }) => operations).map((operation) => [operation.id, operation]))

/** An operation by its id, for those that are declared for several subjects at once. Asked while the pages are loaded, so that a wrong one ends the start. */
export function named(id: string): Operation {
  const operation = byId.get(id)
  if (!operation) throw new Error(`no operation is named ${id}`)
  return operation
}

/** An operation by its id; null where there is none. */
export const namedIfAny = (id: string): Operation | null => byId.get(id) ?? null
