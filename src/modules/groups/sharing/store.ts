import type { Reader } from '../../../infra/database/index.ts'
import { live } from '../../access/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { InvitedGroup } from '../core/present.ts'
import { isListed, isVisibleTo } from '../lists/store/selection.ts'
import type { Viewer } from '../lists/viewer.ts'

/** The groups that were invited to a group and that the caller may see, in the order of the invitations. */
export async function invitedTo(db: Reader, id: number, viewer: Viewer, today: string): Promise<InvitedGroup[]> {
  const rows = await db
    .selectFrom('namespaces')
    .where(isListed)
    .where(isVisibleTo(db, viewer))
    .innerJoin('group_links as link', 'link.group_id', 'namespaces.id')
    .selectAll('namespaces')
    .select(['link.access_level', 'link.expires_at', 'link.member_role_id'])
    .where('link.namespace_id', '=', id)
    .where(live('link', today))
    .orderBy('link.id')
    .execute()
  return rows.map((row) => {
    const { access_level, expires_at, member_role_id, ...group } = row as typeof row & NamespaceRow
    return { group, access_level, expires_at, member_role_id }
  })
}
