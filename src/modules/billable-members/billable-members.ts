import {
  type Actor,
  badRequest,
  dayOf,
  failure,
  isAdministrator,
  notFound,
  type Page,
  type PageRequest,
  type Static,
  type Unmodified,
} from '../../api/index.ts'
import { hasTier } from '../../config.ts'
import { type Act, type Platform, react } from '../../platform/index.ts'
import { deleteMemberships, groupsDependingOn, memberRolesByIds, role } from '../access/index.ts'
import { type Group, mayInGroup } from '../groups/index.ts'
import { presentingUsers, type UserRow, usersByIds } from '../users/index.ts'
import type { BillableFilter } from './params.ts'
import { type BillableMember, type BillableMembership, presentMembership, presentSeat } from './present.ts'
import { type Counting, firstOwners, hasSeat, holdDirect, pageOfDirect, pageOfSeats } from './store.ts'

/** Guests take a seat, but not where the tier is Ultimate (contract 26.8). */
function counting({ config, clock }: Platform): Counting {
  const least = hasTier(config.edition, 'ultimate') ? role.planner : role.guest
  return { today: dayOf(clock.now()), least }
}

/** @throws ApiError 400 for subgroups, and for all but owners */
export function requireReader(actor: Actor, group: Group): void {
  if (group.parent_id !== null || !mayInGroup(actor, group, 'own')) throw failure(400, '400 Bad request')
}

/** A page of the people who take a seat in a top-level group (contract 26, x.billable_member_list). @throws ApiError 400 */
export async function listBillable(
  platform: Platform,
  group: Group,
  actor: Actor,
  filter: BillableFilter,
  page: PageRequest,
): Promise<Page<Static<typeof BillableMember>>> {
  requireReader(actor, group)
  const db = platform.database.read
  const counts = counting(platform)
  const found = await pageOfSeats(db, group.id, counts, filter, page)
  const ids = found.items.map(({ user_id: id }) => id)
  const [users, owners, presenting] = await Promise.all([
    usersByIds(db, ids),
    firstOwners(db, group.id, counts.today),
    presentingUsers(platform),
  ])
  const [lastOwner = null, another] = owners
  const isEnterprise = (user: UserRow) => user.enterprise_group_id === group.id
  const view = {
    ...presenting,
    users,
    showsEmail: isAdministrator(actor) ? () => true : isEnterprise,
    lastOwner: another === undefined ? lastOwner : null,
  }
  return { ...found, items: found.items.flatMap((seat) => presentSeat(seat, view)) }
}

/**
 * A page of the direct memberships of a billable member in a top-level group and below it (contract 26,
 * x.billable_member_memberships).
 * @throws ApiError 400; 404 for a user who takes no seat
 */
export async function listMembershipsOf(
  platform: Platform,
  group: Group,
  actor: Actor,
  userId: number,
  page: PageRequest,
): Promise<Page<Static<typeof BillableMembership>>> {
  requireReader(actor, group)
  const db = platform.database.read
  const counts = counting(platform)
  if (!(await hasSeat(db, group.id, counts, userId))) throw notFound('User')
  const found = await pageOfDirect(db, group.id, userId, counts.today, page)
  const roleIds = found.items.flatMap(({ member_role_id: id }) => id ?? [])
  const roles = await memberRolesByIds(db, [...new Set(roleIds)])
  return { ...found, items: found.items.map((row) => presentMembership(row, platform.externalUrl, roles)) }
}

/** @throws ApiError 400 for subgroups, and for all but owners, in the words of the deletion */
export function requireRemover(actor: Actor, group: Group): void {
  if (group.parent_id !== null) throw badRequest('Invalid group provided, must be top-level')
  if (!mayInGroup(actor, group, 'own')) throw badRequest('User unauthorized to remove member')
}

/**
 * Ends all direct memberships of a user in a top-level group and below it (contract 26, x.billable_member_delete).
 * @throws ApiError 400; 412
 */
export async function removeBillable(
  platform: Platform,
  group: Group,
  userId: number,
  { actor, act, unmodified }: { actor: Actor; act: Act; unmodified: Unmodified },
): Promise<void> {
  requireRemover(actor, group)
  const today = dayOf(platform.clock.now())
  await platform.database.write(async (tx) => {
    const rows = await holdDirect(tx, group.id, userId, today)
    if (rows.length === 0) throw badRequest('No member found for the given user_id')
    for (const { created_at: at } of rows) unmodified(at)
    if ((await groupsDependingOn(tx, userId, today, group.id)).length > 0) {
      throw badRequest('You cannot remove the last owner')
    }
    const memberIds = rows.map(({ id }) => id)
    const source = { kind: 'group', id: group.id } as const
    await react(platform, tx, 'members.ending', { source, userId, memberIds, unassignIssuables: false })
    await deleteMemberships(tx, memberIds)
    await act(tx, userId)
  })
}
