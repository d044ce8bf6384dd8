import { type Actor, dayOf, isAdministrator, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { effectiveMemberships, type Membership, memberRolesByIds, role, roleInGroup } from '../access/index.ts'
import { lineagesOf, openVisibilities } from '../namespaces/index.ts'
import { callerLevel, type ProjectOrGroup } from '../projects/index.ts'
import { presentingUsers, requireUser, type UserRow, usersByIds } from '../users/index.ts'
import type { MemberFilter } from './params.ts'
import { type PresentedMember, presentMember } from './present.ts'
import {
  directMemberships,
  membershipsOf,
  pageOfEffectiveMemberships,
  pageOfMemberships,
  pageOfMembershipsOf,
  samlIdentitiesOf,
  usersNamed,
} from './store.ts'

/** The members of the resource itself, or all users with a role in it. */
type Which = 'direct' | 'effective'

/** Leaves out numbers that are too large for an id. */
const possible = (ids: readonly number[] | undefined) => ids?.filter(Number.isSafeInteger)

/**
 * The visibilities of the invited groups that the caller may learn of; undefined for all. A caller without a role in the
 * resource sees no members that come from a group that the caller could not see either.
 */
function invitedVisibilities(actor: Actor, source: ProjectOrGroup): string[] | undefined {
  if (callerLevel(actor, source) >= role.guest) return undefined
  return openVisibilities(actor)
}

/** Whose email addresses the caller sees: administrators all, owners of a top-level group its enterprise users (contract 13). */
async function emailsFor(
  { clock }: Platform,
  db: Reader,
  source: ProjectOrGroup,
  actor: Actor,
  users: ReadonlyMap<number, UserRow>,
): Promise<(user: UserRow) => boolean> {
  if (isAdministrator(actor)) return () => true
  const isOwner = actor.kind === 'user' && callerLevel(actor, source) >= role.owner
  if (!isOwner || ![...users.values()].some((user) => user.enterprise_group_id !== null)) return () => false
  const [root] = (await lineagesOf(db, [source.namespaceId])).get(source.namespaceId) ?? []
  const level = root === undefined ? role.none : await roleInGroup(db, actor.userId, root, dayOf(clock.now()))
  return (user) => level >= role.owner && user.enterprise_group_id === root
}

/** Presents a page of members. */
export async function presentMembers(
  platform: Platform,
  db: Reader,
  rows: readonly Membership[],
  source: ProjectOrGroup,
  actor: Actor,
  showsSeats = false,
): Promise<PresentedMember[]> {
  const userIds = rows.map(({ user_id }) => user_id)
  const creatorIds = rows.flatMap(({ created_by_id }) => created_by_id ?? [])
  const users = await usersByIds(db, [...userIds, ...creatorIds])
  const showsIdentities = source.kind === 'group' && callerLevel(actor, source) >= role.owner
  const view = {
    ...(await presentingUsers(platform)),
    users,
    showsEmail: await emailsFor(platform, db, source, actor, users),
    showsSeats,
    roles: await memberRolesByIds(db, [...new Set(rows.flatMap(({ member_role_id: id }) => id ?? []))]),
    identities: showsIdentities ? await samlIdentitiesOf(db, userIds) : null,
  }
  return rows.flatMap((row) => {
    const user = users.get(row.user_id)
    return user ? [presentMember(row, user, view)] : []
  })
}

function membershipsIn(
  { database, clock }: Platform,
  which: Which,
  source: ProjectOrGroup,
  actor: Actor,
  userIds?: readonly number[],
) {
  const today = dayOf(clock.now())
  if (which === 'direct') return directMemberships(database.read, source, { today, userIds })
  const options = { today, userIds, invitedVisibilities: invitedVisibilities(actor, source) }
  return effectiveMemberships(database.read, source, options)
}

/** The ids of the users among whom the members of a filter are; undefined for all users. */
async function wantedUsers(db: Reader, { query, userIds }: { query?: string; userIds?: readonly number[] }) {
  const named = query ? await usersNamed(db, query) : undefined
  if (!named || !userIds) return named ?? userIds
  const wanted = new Set(userIds)
  return named.filter((id) => wanted.has(id))
}

/** Lists members by user id (contract 21, x.group_members_list, x.group_members_all and those of projects). */
export async function listMembers(
  platform: Platform,
  which: Which,
  source: ProjectOrGroup,
  actor: Actor,
  params: MemberFilter,
  page: PageRequest,
): Promise<Page<PresentedMember>> {
  // A request for access is no membership, and no membership waits for anything.
  if (params.state === 'awaiting') return { items: [], total: 0 }
  const db = platform.database.read
  const filter = {
    query: params.query,
    userIds: possible(params.user_ids),
    skipUserIds: possible(params.skip_users),
    withSamlIdentity: params.with_saml_identity,
  }
  const isWhole = Object.values(filter).every((one) => one === undefined)
  const all = { today: dayOf(platform.clock.now()), invitedVisibilities: invitedVisibilities(actor, source) }
  const among = isWhole ? undefined : await wantedUsers(db, filter)
  const {
    items: rows,
    total,
    hasNext,
  } = which === 'effective' && isWhole && page.kind === 'offset'
    ? await pageOfEffectiveMemberships(db, source, all, page)
    : await pageOfMemberships(db, membershipsIn(platform, which, source, actor, among), filter, page)
  return { items: await presentMembers(platform, db, rows, source, actor, params.show_seat_info), total, hasNext }
}

/**
 * Gets a member (contract 21, x.group_members_get, x.group_members_get_all and those of projects).
 * @throws ApiError 404 when the user is not a member
 */
export async function getMember(
  platform: Platform,
  which: Which,
  source: ProjectOrGroup,
  actor: Actor,
  userId: number,
): Promise<PresentedMember> {
  const db = platform.database.read
  const rows = await membershipsOf(db, membershipsIn(platform, which, source, actor, [userId]))
  const [member] = await presentMembers(platform, db, rows, source, actor)
  if (!member) throw recordNotFound()
  return member
}

/** A page of the direct memberships of a user (contract 20, x.users_memberships). @throws ApiError 404 */
export async function listMembershipsOf(
  { database, clock }: Platform,
  { id, type }: { id: number; type?: 'Project' | 'Namespace' },
  page: PageRequest,
) {
  const user = await requireUser(database.read, id)
  return pageOfMembershipsOf(database.read, user.id, { type, today: dayOf(clock.now()) }, page)
}
