import { baseOf } from '../../frame/addresses.ts'
import type { Level, Visit } from '../../page.ts'
import { levelOf } from '../../parts/writing/index.ts'

/** The address of a page below the project or group, or of one of the server. */
export function addressIn(visit: Visit, rest: string): string {
  const at = levelOf(visit)
  return at === 'instance' ? `/${rest}` : `${baseOf(visit, at)}/-/${rest}`
}

/** What a list is of, as a part of its call. */
export function placeCall({ project, group }: Visit, at: Level): { id?: number } {
  return at === 'project' ? { id: project.id } : at === 'group' ? { id: group.id } : {}
}

/** Texts of an address by their names, without those that were left empty. */
export const given = (query: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))

/** The same as parameters of a call: `not[labels]` is a member of `not`. */
export function callOf(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const call: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(texts)) {
    const [, object, member] = /^(\w+)\[(\w+)\]$/.exec(name) ?? []
    if (object && member) call[object] = { ...(call[object] as object), [member]: text }
    else call[name] = text
  }
  return call
}
