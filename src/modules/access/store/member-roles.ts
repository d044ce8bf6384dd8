import { sql } from 'kysely'
import { locked, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type MemberRoleRow, memberRoles } from '../tables.ts'

export const { byIds: memberRolesByIds, insert: insertMemberRole, remove: removeMemberRole } = rows(memberRoles)

/** The member roles of a group itself, or of the instance for null. */
export function memberRolesOf(db: Reader, groupId: number | null) {
  return db
    .selectFrom('member_roles')
    .selectAll()
    .where('namespace_id', groupId === null ? 'is' : '=', groupId)
}

/** The member roles that can be given in a namespace: those of the instance, of the namespace itself and of the groups above. */
export function memberRolesAbove(db: Reader, namespaceId: number) {
  const above = db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', namespaceId)
  return db
    .selectFrom('member_roles')
    .selectAll()
    .where((eb) => eb.or([eb('namespace_id', 'is', null), eb('namespace_id', 'in', above)]))
}

/** One of the member roles that can be given in a namespace; null for any other. */
export async function memberRoleAbove(db: Reader, namespaceId: number, id: number): Promise<MemberRoleRow | null> {
  return (await memberRolesAbove(db, namespaceId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Keeps a member role from being deleted until the transaction ends. @returns whether it is still there */
export async function holdMemberRole(tx: Tx, id: number): Promise<boolean> {
  const query = tx.selectFrom('member_roles').select('id').where('id', '=', id)
  return (await locked(tx, query, 'key share').executeTakeFirst()) !== undefined
}

/**
 * Takes the member roles of groups that are not above any more from the memberships and invitations of groups in what has moved: in
 * and below a namespace, or in a project (contract 25.10).
 */
export async function dropForeignRoles(tx: Tx, moved: { namespaceId: number } | { projectId: number }): Promise<void> {
  for (const name of ['members', 'group_links'] as const) {
    const table = sql.table(name)
    const within =
      'projectId' in moved
        ? sql`p.id = ${moved.projectId}`
        : sql`coalesce(p.namespace_id, one.namespace_id) in (
            select namespace_id from namespace_ancestors where ancestor_id = ${moved.namespaceId})`
    await sql`update ${table} set member_role_id = null where id in (
      select one.id from ${table} one join member_roles r on r.id = one.member_role_id
        left join projects p on p.id = one.project_id
        where one.member_role_id is not null and r.namespace_id is not null and ${within}
        and r.namespace_id not in (select a.ancestor_id from namespace_ancestors a
          where a.namespace_id = coalesce(p.namespace_id, one.namespace_id)))`.execute(tx)
  }
}
