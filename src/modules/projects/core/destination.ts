import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { roleInGroup } from '../../access/index.ts'
import { type NamespaceRow, namespaceById, namespaceByPath } from '../../namespaces/index.ts'
import { openVisibilities } from './access.ts'

/** How a parameter names a namespace: by id or full path, or by full path alone. */
export type NamedNamespace = { text: string; isPath?: boolean }

/** The namespace of that id or full path, if the actor sees that it is there: groups as such, personal ones as their own. */
export async function visibleNamespace(
  db: Reader,
  { text, isPath = false }: NamedNamespace,
  actor: Actor,
  today: string,
): Promise<NamespaceRow | null> {
  const row = !isPath && /^\d+$/.test(text) ? await namespaceById(db, Number(text)) : await namespaceByPath(db, text)
  if (!row || row.pending_delete) return null
  if (isAdministrator(actor)) return row
  const level = actor.kind === 'user' ? await roleInGroup(db, actor.userId, row.id, today) : 0
  const isOpen = row.kind === 'group' && openVisibilities(actor).includes(row.visibility)
  return level > 0 || isOpen ? row : null
}
