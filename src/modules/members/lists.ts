import { type Actor, dayOf, isAdministrator, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database, Reader } from '../../infra/database/index.ts'
import { effectiveMemberships, type MemberSource, type Membership, role } from '../access/index.ts'
import { type PresentingUsers, usersByIds } from '../users/index.ts'
import { type PresentedMember, presentMember } from './present.ts'
import {
  directMemberships,
  type MemberFilter,
  membershipsOf,
  pageOfMemberships,
  samlIdentitiesOf,
} from './store/members.ts'

/** A place together with the level of the caller in it. */
export type VisitedPlace = MemberSource & { level: number }

export type ListOptions = MemberFilter & {
  showsSeats?: boolean
  /** Which memberships to list; none of them ever waits. */
  state?: 'active' | 'awaiting'
}

/** What a caller counts as in a place: administrators are owners everywhere. */
export function levelOf(actor: Actor, place: VisitedPlace): number {
  return isAdministrator(actor) ? role.owner : place.level
}

/**
 * Which invited groups may be told from the outside: whoever has no role in the place sees no members that come from a
 * group which they could not see either.
 */
function invitedVisibilities(actor: Actor, place: VisitedPlace): string[] | undefined {
  if (levelOf(actor, place) >= role.guest) return undefined
  return actor.kind === 'user' && !actor.external && !actor.bot ? ['public', 'internal'] : ['public']
}

export type MemberListNeeds = { database: Database; clock: Clock; presenting(): Promise<PresentingUsers> }

/** Reads the members of groups and projects (contract 21, x.group_members_list … x.project_members_get_all). */
export function createMemberLists({ database, clock, presenting }: MemberListNeeds) {
  const db = database.read
  const today = () => dayOf(clock.now())

  /** Everything that the members of a page show, loaded for the whole page at once. */
  async function present(
    reader: Reader,
    rows: readonly Membership[],
    place: VisitedPlace,
    actor: Actor,
    showsSeats: boolean,
  ): Promise<PresentedMember[]> {
    const userIds = rows.map(({ user_id }) => user_id)
    const creatorIds = rows.flatMap(({ created_by_id }) => (created_by_id === null ? [] : [created_by_id]))
    const users = await usersByIds(reader, [...userIds, ...creatorIds])
    const showsIdentities = place.kind === 'group' && levelOf(actor, place) >= role.owner
    const shown = {
      ...(await presenting()),
      users,
      showsEmail: isAdministrator(actor),
      showsSeats,
      identities: showsIdentities ? await samlIdentitiesOf(reader, userIds) : null,
    }
    return rows.flatMap((row) => {
      const user = users.get(row.user_id)
      return user ? [presentMember(row, user, shown)] : []
    })
  }

  function effective(place: VisitedPlace, actor: Actor, userIds?: readonly number[]) {
    const options = { today: today(), userIds, invitedVisibilities: invitedVisibilities(actor, place) }
    return effectiveMemberships(db, place, options)
  }

  return {
    present,

    /** A page of the direct members, or of everybody who has a role, each with the highest one; by id. */
    async list(
      which: 'direct' | 'effective',
      place: VisitedPlace,
      actor: Actor,
      options: ListOptions,
      page: PageRequest,
    ): Promise<Page<PresentedMember>> {
      if (options.state === 'awaiting') return { items: [], total: 0 }
      const source = which === 'direct' ? directMemberships(place, today()) : effective(place, actor, options.userIds)
      const { items: rows, total, hasNext } = await pageOfMemberships(db, source, options, page)
      return { items: await present(db, rows, place, actor, options.showsSeats ?? false), total, hasNext }
    },

    /**
     * One member.
     * @throws ApiError 404 when the user is none
     */
    async get(
      which: 'direct' | 'effective',
      place: VisitedPlace,
      actor: Actor,
      userId: number,
    ): Promise<PresentedMember> {
      const source = which === 'direct' ? directMemberships(place, today(), userId) : effective(place, actor, [userId])
      const [member] = await present(db, await membershipsOf(db, source), place, actor, false)
      if (!member) throw recordNotFound()
      return member
    },
  }
}

export type MemberLists = ReturnType<typeof createMemberLists>
