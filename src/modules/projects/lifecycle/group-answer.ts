import type { Actor, TSchema } from '../../../api/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'

/** A group read alone, made by whoever knows groups. */
export type GroupAnswer = {
  schema: TSchema
  present(actor: Actor, group: NamespaceRow): Promise<unknown>
}
