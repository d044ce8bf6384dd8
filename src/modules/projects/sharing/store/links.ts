import type { Reader, Tx } from '../../../../infra/database/index.ts'
import type { GroupLinkRow } from '../../../access/index.ts'

/**
 * Invites a group to a project. An expired invitation is replaced.
 * @throws UniqueViolation when it is invited already
 */
export async function insertLink(
  tx: Tx,
  link: Omit<GroupLinkRow, 'id' | 'namespace_id'> & { project_id: number },
  today: string,
): Promise<GroupLinkRow> {
  await tx
    .deleteFrom('group_links')
    .where('project_id', '=', link.project_id)
    .where('group_id', '=', link.group_id)
    .where('expires_at', '<=', today)
    .execute()
  return tx
    .insertInto('group_links')
    .values({ ...link, namespace_id: null })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The invitation of a group to a project. */
export async function linkOf(db: Reader, projectId: number, groupId: number): Promise<GroupLinkRow | null> {
  const query = db.selectFrom('group_links').selectAll().where('project_id', '=', projectId)
  return (await query.where('group_id', '=', groupId).executeTakeFirst()) ?? null
}

/** Ends an invitation. */
export async function deleteLink(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('group_links').where('id', '=', id).execute()
}
