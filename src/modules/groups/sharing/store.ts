import type { Reader, Tx } from '../../../infra/database/index.ts'
import { type GroupLinkRow, live } from '../../access/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { InvitedGroup } from '../core/present.ts'
import { allGroups, visible } from '../lists/store/selection.ts'
import type { Viewer } from '../lists/viewer.ts'

/** The groups that were invited to a group and that the caller may see, in the order of the invitations. */
export async function invitedTo(db: Reader, id: number, viewer: Viewer, today: string): Promise<InvitedGroup[]> {
  const rows = await visible(db, allGroups(db), viewer)
    .innerJoin('group_links as link', 'link.group_id', 'namespaces.id')
    .selectAll('namespaces')
    .select(['link.access_level', 'link.expires_at'])
    .where('link.namespace_id', '=', id)
    .where(live('link', today))
    .orderBy('link.id')
    .execute()
  return rows.map((row) => {
    const { access_level, expires_at, ...group } = row as typeof row & NamespaceRow
    return { group, access_level, expires_at }
  })
}

/**
 * Invites a group to a group. An expired invitation is replaced.
 * @throws UniqueViolation of `group_links_namespace_unique` when it is invited already
 */
export async function insertLink(
  tx: Tx,
  link: Omit<GroupLinkRow, 'id' | 'project_id'> & { namespace_id: number },
  today: string,
): Promise<void> {
  const { namespace_id, group_id } = link
  await tx
    .deleteFrom('group_links')
    .where('namespace_id', '=', namespace_id)
    .where('group_id', '=', group_id)
    .where('expires_at', '<=', today)
    .execute()
  await tx.insertInto('group_links').values(link).execute()
}

/** Deletes an invitation. @returns when it was created; null when there was none */
export async function deleteLink(tx: Tx, namespaceId: number, groupId: number): Promise<string | null> {
  const query = tx.deleteFrom('group_links').where('namespace_id', '=', namespaceId).where('group_id', '=', groupId)
  return (await query.returning('created_at').executeTakeFirst())?.created_at ?? null
}
