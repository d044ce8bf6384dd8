import { type Actor, forbidden, isAdministrator } from '../../api/index.ts'
import type { Reader, Tx } from '../../infra/database/index.ts'
import { hasPermission, type Standing } from './permissions.ts'
import { holdMemberRole, memberRoleAbove } from './store/member-roles.ts'

/** What may have a member role: a membership, or what leads to memberships. */
type Assignment = { access_level: number; member_role_id?: number | null | undefined }

/** Where a member role is given: a group, or a project of a namespace, with what the caller may do there. */
type Place = { kind: 'project' | 'group'; namespaceId: number; standing: Standing }

const idOf = ({ member_role_id: id }: Pick<Assignment, 'member_role_id'>) =>
  Number.isSafeInteger(id) ? (id ?? null) : null

/** Only those who have all permissions of a member role give it to others (contract 25.10). @throws ApiError 403 */
export async function requirePermissions(
  db: Reader,
  actor: Actor,
  { kind, namespaceId, standing }: Place,
  wanted: Pick<Assignment, 'member_role_id'>,
): Promise<void> {
  const id = idOf(wanted)
  if (id === null || isAdministrator(actor)) return
  const row = await memberRoleAbove(db, namespaceId, id)
  if (row && !row.permissions.every((permission) => hasPermission(standing, kind, permission))) throw forbidden()
}

/**
 * What is wrong with the member role of a membership, an invitation or a link in a namespace or a project of it (contract 25.10). The
 * role is not deleted until the transaction ends.
 */
export async function memberRoleProblems(tx: Tx, namespaceId: number, wanted: Assignment): Promise<string[]> {
  if (wanted.member_role_id === undefined || wanted.member_role_id === null) return []
  const id = idOf(wanted)
  const row = id !== null && (await holdMemberRole(tx, id)) ? await memberRoleAbove(tx, namespaceId, id) : null
  if (!row) return ['not found']
  return row.base_access_level === wanted.access_level ? [] : ['is not valid']
}
