import { type Actor, conflict, dayOf, failure, invalid, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { ancestorsOf, type NamespaceRow } from '../namespaces/index.ts'
import { type Group, visibleGroup } from './access.ts'
import type { GroupPresenting } from './presenting.ts'
import { settingsOfGroup } from './settings.ts'
import { deleteLink, insertLink } from './store/links.ts'

export type SharingNeeds = {
  database: Database
  clock: Clock
  presenting: GroupPresenting
  /** What else ends with the invitation of a group, in the same transaction. */
  unshared?(tx: Tx, namespaceId: number, groupId: number): Promise<void>
}

export type ShareParams = { group_id: number; group_access: number; expires_at?: string }

/** Inviting groups to groups (contract 21, x.groups_share, x.groups_unshare). */
export type GroupSharing = ReturnType<typeof createGroupSharing>

export function createGroupSharing({ database, clock, presenting, unshared }: SharingNeeds) {
  const db = database.read

  return {
    /** @throws ApiError 404 Group, 409 when it is shared already, 404 when the hierarchy is closed, 400 */
    async share(actor: Actor, group: Group, params: ShareParams) {
      const today = dayOf(clock.now())
      const invited = await visibleGroup(db, params.group_id, actor, today)
      if (!(await mayBeInvited(db, group, invited))) throw failure(404, 'Not Found')
      const { group_access: access_level, expires_at = null } = params
      if (expires_at !== null && expires_at <= today) throw invalid({ expires_at: ['cannot be a date in the past'] })
      const link = { group_id: invited.id, namespace_id: group.id, access_level, expires_at, created_at: now(clock) }
      await database
        .write((tx) => insertLink(tx, link, today))
        .catch((error) => {
          if (!isUniqueViolation(error)) throw error
          throw conflict('Shared group The group has already been shared with this group')
        })
      return presenting.detailOf(actor, group)
    },

    /**
     * @param requireUnmodified throws when the invitation is newer than the caller allows
     * @throws ApiError 404 Group Link
     */
    async unshare(group: Group, groupId: number, requireUnmodified: (createdAt: string) => void): Promise<void> {
      if (!Number.isSafeInteger(groupId)) throw notFound('Group Link')
      await database.write(async (tx) => {
        const createdAt = await deleteLink(tx, group.id, groupId)
        if (createdAt === null) throw notFound('Group Link')
        requireUnmodified(createdAt)
        await unshared?.(tx, group.id, groupId)
      })
    },
  }
}

/** A top-level group may say that nothing below it is shared with groups from elsewhere. */
async function mayBeInvited(db: Reader, group: Group, invited: NamespaceRow): Promise<boolean> {
  const root = (await ancestorsOf(db, group.id)).at(-1)
  if (!root || !settingsOfGroup(root).prevent_sharing_groups_outside_hierarchy) return true
  return (await ancestorsOf(db, invited.id)).at(-1)?.id === root.id
}
