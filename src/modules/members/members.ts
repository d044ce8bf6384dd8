import { type Actor, dayOf, forbidden, invalid, recordNotFound } from '../../api/index.ts'
import { now, type Tx } from '../../infra/database/index.ts'
import { type Act, type Events, type Platform, type Reaction, react } from '../../platform/index.ts'
import {
  deleteMemberships,
  groupsDependingOn,
  insertMembers,
  type MemberRow,
  memberRoleProblems,
  role,
  roleName,
  updateMembership,
} from '../access/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'
import type { MemberChange, MemberRemoval } from './params.ts'
import { presentMembership, problemsOf, requireGrant, requireLevel } from './rules.ts'
import { inheritedMemberships, lockSource, memberOf, membershipIdsFrom, ownerOfNamespace } from './store.ts'

/**
 * The direct membership of a user, under a lock that lasts until the transaction ends.
 * @throws ApiError 404, 403 when the member's level is above the caller's, or the member owns the personal namespace
 */
async function lockedMember(
  tx: Tx,
  source: ProjectOrGroup,
  actor: Actor,
  userId: number,
  today: string,
): Promise<MemberRow> {
  await lockSource(tx, source)
  const member = await memberOf(tx, source, userId, today)
  if (!member) throw recordNotFound()
  if (actor.kind !== 'user' || actor.userId !== userId) requireLevel(actor, source, member.access_level)
  if (source.kind === 'project' && (await ownerOfNamespace(tx, source.namespaceId)) === userId) throw forbidden()
  return member
}

/** @throws ApiError 403 when no other person owns the group (contract 21, R9) */
async function requireOtherOwner(tx: Tx, source: ProjectOrGroup, member: MemberRow, today: string): Promise<void> {
  if (source.kind === 'project' || member.access_level < role.owner) return
  if ((await groupsDependingOn(tx, member.user_id, today, source.id)).length > 0) throw forbidden()
}

/** The member role of a changed membership: it ends with the level that it stands on, unless another one is given. */
function memberRoleAfter(member: MemberRow, { access_level, member_role_id }: MemberChange): number | null {
  if (member_role_id !== undefined) return member_role_id
  return access_level === member.access_level ? member.member_role_id : null
}

/**
 * Changes level, expiry and member role of a direct member (contract 21, x.group_members_update, x.project_members_update).
 * @throws ApiError 400, 403, 404
 */
export async function updateMember(
  platform: Platform,
  source: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  change: MemberChange,
) {
  const { user_id: userId, access_level, expires_at } = change
  await requireGrant(platform.database.read, actor, source, change)
  const today = dayOf(platform.clock.now())
  return platform.database.write(async (tx) => {
    const member = await lockedMember(tx, source, actor, userId, today)
    const inherited = await inheritedMemberships(tx, source, [userId], today)
    const memberRole = await memberRoleProblems(tx, source.namespaceId, change)
    const fields = problemsOf(source, change, inherited.get(userId), today, memberRole)
    if (fields) throw invalid(fields)
    if (access_level < role.owner) await requireOtherOwner(tx, source, member, today)
    const row = await updateMembership(tx, member.id, {
      access_level,
      ...(expires_at !== undefined && { expires_at }),
      member_role_id: memberRoleAfter(member, change),
    })
    const [from, to] = [member.access_level, row.access_level].map(roleName)
    await act(tx, userId, { from, to })
    const { kind, id } = source
    await react(platform, tx, 'member.changed', { source: { kind, id }, memberId: row.id })
    return presentMembership(platform, tx, row, source, actor)
  })
}

/**
 * Deletes a direct membership, and by default the direct memberships below it; members may delete their own (contract 21,
 * x.group_members_remove, x.project_members_remove).
 * @param unmodified throws when the membership is newer than the caller allows
 * @throws ApiError 403, 404, 412
 */
export async function removeMember(
  platform: Platform,
  source: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  { user_id: userId, skip_subresources, unassign_issuables: unassignIssuables = false }: MemberRemoval,
  unmodified: (createdAt: string) => void,
): Promise<void> {
  const today = dayOf(platform.clock.now())
  await platform.database.write(async (tx) => {
    const member = await lockedMember(tx, source, actor, userId, today)
    unmodified(member.created_at)
    await requireOtherOwner(tx, source, member, today)
    const memberIds = await membershipIdsFrom(tx, source, userId, { below: !skip_subresources })
    const { kind, id } = source
    await react(platform, tx, 'members.ending', { source: { kind, id }, userId, memberIds, unassignIssuables })
    await deleteMemberships(tx, memberIds)
    await act(tx, userId, { as: roleName(member.access_level) })
  })
}

/** Makes the user who created a group its owner (contract 21, x.groups_create). */
export const addGroupOwner: Reaction<Events['group.created']> = async ({ clock }, tx, { groupId: id, userId }) => {
  if (userId === null) return
  const owner = { user_id: userId, access_level: role.owner, created_at: now(clock) }
  await insertMembers(tx, { kind: 'group', id }, [owner])
}
