import {
  type Actor,
  conflict,
  dayOf,
  failure,
  invalid,
  notFound,
  type ParamValues,
  refuse,
  t,
  takenIn,
} from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import { type Act, type Platform, react } from '../../../platform/index.ts'
import { deleteGroupLink, groupLink, insertGroupLink, memberRoleProblems } from '../../access/index.ts'
import { ancestorsOf, type NamespaceRow } from '../../namespaces/index.ts'
import { type Group, visibleGroup } from '../access.ts'
import { groupDetailOf } from '../core/detail.ts'
import type { PresentedGroupDetail } from '../core/present.ts'
import { settingsOfGroup } from '../settings/settings.ts'
import { endExpiredShare } from './expiry.ts'

/** The levels up to which members of an invited group can count. */
const shareLevels = [10, 15, 20, 30, 40, 50] as const

export const groupShare = {
  group_id: t.required(t.integer({ description: 'The group that is invited' })),
  group_access: t.required(t.integerOf(shareLevels, { description: 'The level up to which its members count' })),
  expires_at: t.date(),
  member_role_id: takenIn(
    { tier: 'ultimate' },
    t.integer({ description: 'The member role of those who reach that level; it is the base level of the role' }),
  ),
}
type GroupShare = ParamValues<typeof groupShare>

/**
 * Invites a group to a group (contract 21, x.groups_share).
 * @throws ApiError 404 Group, 404 when the hierarchy does not allow groups from outside, 400, 409 when shared already
 */
export async function shareGroup(
  platform: Platform,
  { actor, act }: { actor: Actor; act: Act },
  group: Group,
  { group_id, group_access: access_level, expires_at: until, member_role_id: roleId }: GroupShare,
): Promise<PresentedGroupDetail> {
  const { database, clock } = platform
  const today = dayOf(clock.now())
  const expires_at = until ?? null
  const invited = await visibleGroup(database.read, group_id, actor, today)
  if (!(await mayBeInvited(database.read, group, invited))) throw failure(404, 'Not Found')
  if (expires_at !== null && expires_at <= today) throw invalid({ expires_at: ['cannot be a date in the past'] })
  const member_role_id = roleId ?? null
  const link = { group_id: invited.id, access_level, expires_at, created_at: now(clock), member_role_id }
  await database
    .write(async (tx) => {
      refuse({ member_role: await memberRoleProblems(tx, group.id, link) })
      await endExpiredShare(platform, tx, group.id, invited.id, today)
      await insertGroupLink(tx, { namespace_id: group.id }, link)
      await act(tx, invited.id)
    })
    .catch((error) => {
      if (!isUniqueViolation(error)) throw error
      throw conflict('Shared group The group has already been shared with this group')
    })
  return groupDetailOf(platform, actor, group)
}

/**
 * Ends the invitation of a group (contract 21, x.groups_unshare).
 * @param unmodified throws when the invitation is newer than the caller allows
 * @throws ApiError 404 Group Link, 412
 */
export async function unshareGroup(
  platform: Platform,
  group: Group,
  invitedId: number,
  { unmodified, act }: { unmodified: (createdAt: string) => void; act: Act },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const link = await claim(tx, 'group_links', () => groupLink(tx, { namespace_id: group.id }, invitedId))
    if (!link) throw notFound('Group Link')
    unmodified(link.created_at)
    await deleteGroupLink(tx, link.id)
    await react(platform, tx, 'group.unshared', { groupId: group.id, invitedId })
    await act(tx, invitedId)
  })
}

/** A top-level group can forbid that anything below it is shared with groups of other hierarchies. */
async function mayBeInvited(db: Reader, group: Group, invited: NamespaceRow): Promise<boolean> {
  const root = (await ancestorsOf(db, group.id)).at(-1)
  if (!root || !settingsOfGroup(root).prevent_sharing_groups_outside_hierarchy) return true
  return (await ancestorsOf(db, invited.id)).at(-1)?.id === root.id
}
