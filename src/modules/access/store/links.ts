import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type GroupLinkRow, groupLinks } from '../tables.ts'

export const { remove: deleteGroupLink } = rows(groupLinks)

/** The group or project to which a group is invited. */
export type LinkTarget = { project_id: number } | { namespace_id: number }

/** The column that refers to the group or project, and its value. */
export const columnOfTarget = (target: LinkTarget) =>
  'project_id' in target
    ? (['project_id', target.project_id] as const)
    : (['namespace_id', target.namespace_id] as const)

/**
 * Invites a group to a group or project.
 * @throws UniqueViolation when it is invited already
 */
export async function insertGroupLink(
  tx: Tx,
  target: LinkTarget,
  link: Pick<GroupLinkRow, 'group_id' | 'access_level' | 'expires_at' | 'created_at' | 'member_role_id'>,
): Promise<GroupLinkRow> {
  const row = { project_id: null, namespace_id: null, ...target, ...link }
  return tx.insertInto('group_links').values(row).returningAll().executeTakeFirstOrThrow()
}

/** The invitation of a group; null when there is none. */
export async function groupLink(db: Reader, target: LinkTarget, groupId: number): Promise<GroupLinkRow | null> {
  const [column, id] = columnOfTarget(target)
  const query = db.selectFrom('group_links').selectAll().where(column, '=', id)
  return (await query.where('group_id', '=', groupId).executeTakeFirst()) ?? null
}
