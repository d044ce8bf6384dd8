import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { GroupLinkRow } from '../../access/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { InvitedGroup } from '../present.ts'
import type { Sight } from '../sight.ts'
import { allGroups, seen } from './choose.ts'

/** Invitations count until the day on which they expire (contract 21 R1). */
export const isLive = (today: string) => sql<boolean>`(link.expires_at is null or link.expires_at > ${today})`

/** The groups that were invited to a group and that the actor sees, by the order of the invitations. */
export async function invitedTo(db: Reader, id: number, sight: Sight, today: string): Promise<InvitedGroup[]> {
  const rows = await seen(db, allGroups(db), sight)
    .innerJoin('group_links as link', 'link.group_id', 'namespaces.id')
    .selectAll('namespaces')
    .select(['link.access_level', 'link.expires_at'])
    .where('link.namespace_id', '=', id)
    .where(isLive(today))
    .orderBy('link.id')
    .execute()
  return rows.map((row) => {
    const { access_level, expires_at, ...group } = row as typeof row & NamespaceRow
    return { group, access_level, expires_at }
  })
}

/**
 * Invites a group to a group. An invitation that has run out makes room.
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

/** Ends an invitation and tells when it was made; null when there was none. */
export async function deleteLink(tx: Tx, namespaceId: number, groupId: number): Promise<string | null> {
  const query = tx.deleteFrom('group_links').where('namespace_id', '=', namespaceId).where('group_id', '=', groupId)
  return (await query.returning('created_at').executeTakeFirst())?.created_at ?? null
}
