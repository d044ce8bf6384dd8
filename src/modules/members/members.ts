import { type Actor, ApiError, conflict, dayOf, forbidden, invalid, notFound, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { type MemberRow, type MemberSource, memberLevels, role, roleName } from '../access/index.ts'
import { type UserRow, usersByIds, usersByUsernames } from '../users/index.ts'
import { levelOf, type MemberLists, type VisitedPlace } from './lists.ts'
import type { PresentedMember } from './present.ts'
import {
  deleteExpired,
  deleteMembers,
  directMembersAmong,
  hasOtherOwner,
  holderOf,
  type InheritedMembership,
  inheritedMemberships,
  insertMembers,
  lockPlace,
  memberOf,
  membershipsFrom,
  updateMember,
} from './store/members.ts'

/** A user who is about to lose a direct membership, and with it perhaps some below. */
export type EndingMembership = { userId: number; members: readonly MemberRow[]; unassignIssuables: boolean }

/** What else happens, in the same transaction, when memberships begin and before they end. */
export type MembersListener = {
  added?(tx: Tx, place: MemberSource, members: readonly MemberRow[]): Promise<void>
  ending?(tx: Tx, place: MemberSource, ending: EndingMembership): Promise<void>
}

export type MembersNeeds = {
  database: Database
  clock: Clock
  lists: MemberLists
  listeners: readonly MembersListener[]
}

/** Users as a request names them: by ids or by user names. */
export type NamedUsers = { ids: readonly number[] } | { usernames: readonly string[] }

export type NewMembership = { accessLevel: number; expiresAt?: string }
export type MembershipChange = { accessLevel: number; expiresAt?: string | null }
export type Removal = { skipSubresources: boolean; unassignIssuables: boolean; requireUnmodified(at: string): void }

/** The answer to several users at once: what went wrong, by user name. */
export type AddedSeveral = { status: 'success' | 'error'; message?: Record<string, string> }

type Fields = Record<string, string[]>

const alreadyMember = 'Member already exists'
const botElsewhere = 'project bots cannot be added to other groups / projects'

/** The levels that may be given in a place: minimal access exists in groups only (contract 21). */
function levelsOf(place: MemberSource): readonly number[] {
  return place.kind === 'group' ? memberLevels : memberLevels.filter((level) => level !== role.minimal)
}

/** @throws ApiError 403 when the caller has a lower role than the one that is given, changed or taken */
function requireLevel(actor: Actor, place: VisitedPlace, level: number): void {
  if (levelsOf(place).includes(level) && level > levelOf(actor, place)) throw forbidden()
}

/** What the rules of a membership say (contract 21, x.group_members_add). */
function problemsOf(
  place: MemberSource,
  wanted: { accessLevel: number; expiresAt?: string | null },
  inherited: InheritedMembership | undefined,
  today: string,
): Fields | null {
  const fields: Fields = {}
  if (!levelsOf(place).includes(wanted.accessLevel)) fields.access_level = ['is not included in the list']
  else if (inherited && wanted.accessLevel < inherited.access_level) {
    const { access_level: level, full_path: path } = inherited
    const least = `${roleName(level)} inherited membership from group ${path}`
    fields.access_level = [`should be greater than or equal to ${least}`]
  }
  if (wanted.expiresAt && wanted.expiresAt <= today) fields.expires_at = ['cannot be a date in the past']
  return Object.keys(fields).length > 0 ? fields : null
}

const fieldNames: Record<string, string> = { access_level: 'Access level', expires_at: 'Expires at', user: 'User' }

/** Why a user was not added, as one sentence. */
function sentenceOf({ body: { message } }: ApiError): string {
  if (typeof message === 'string') return message
  return Object.entries(message as Fields)
    .flatMap(([name, texts]) => texts.map((text) => `${fieldNames[name] ?? name} ${text}`))
    .join(' and ')
}

/** Everybody whom a request names, by the text that names them, in its order; a user named twice counts once. */
async function findUsers(db: Reader, named: NamedUsers): Promise<Map<string, UserRow | null>> {
  const isIds = 'ids' in named
  const texts = isIds ? named.ids.map(String) : named.usernames.map((name) => name.toLowerCase())
  const found = isIds
    ? (await usersByIds(db, named.ids.filter(Number.isSafeInteger))).values()
    : await usersByUsernames(db, texts)
  const users = new Map<string, UserRow>()
  for (const user of found) {
    const isGone = user.removed_at !== null || user.bot_kind === 'ghost'
    if (!isGone) users.set(isIds ? String(user.id) : user.username.toLowerCase(), user)
  }
  return new Map(texts.map((text) => [text, users.get(text) ?? null]))
}

/** Bots work for one place only, and may not become members elsewhere (contract 00, "Authentication"). */
function isConfined(user: UserRow): boolean {
  return user.bot_kind !== null && user.bot_kind !== 'service_account'
}

/** Adds, changes and removes members (contract 21). Every method may throw the errors that the contract names there. */
export function createMembers({ database, clock, lists, listeners }: MembersNeeds) {
  const today = () => dayOf(clock.now())

  async function tell(work: (listener: MembersListener) => Promise<void> | undefined): Promise<void> {
    for (const listener of listeners) await work(listener)
  }

  async function presentOne(db: Reader, row: MemberRow, place: VisitedPlace, actor: Actor): Promise<PresentedMember> {
    const [member] = await lists.present(db, [row], place, actor, false)
    if (!member) throw recordNotFound()
    return member
  }

  /** Makes members of users, and says of each what came of it: a row, or an error that tells why not. */
  async function addAll(
    tx: Tx,
    place: VisitedPlace,
    users: readonly UserRow[],
    wanted: NewMembership,
    creatorId: number | null,
  ): Promise<Map<number, MemberRow | ApiError>> {
    const day = today()
    const ids = users.map(({ id }) => id)
    await deleteExpired(tx, place, ids, day)
    const existing = await directMembersAmong(tx, place, ids)
    const inherited = await inheritedMemberships(tx, place, ids, day)
    const outcomes = new Map<number, MemberRow | ApiError>()
    for (const user of users) {
      const fields = isConfined(user)
        ? { user: [botElsewhere] }
        : problemsOf(place, wanted, inherited.get(user.id), day)
      if (existing.has(user.id)) outcomes.set(user.id, conflict(alreadyMember))
      else if (fields) outcomes.set(user.id, invalid(fields))
    }
    const { accessLevel: access_level, expiresAt: expires_at = null } = wanted
    const member = { access_level, expires_at, created_by_id: creatorId, created_at: now(clock) }
    const admitted = ids.filter((id) => !outcomes.has(id))
    const added = await insertMembers(
      tx,
      place,
      admitted.map((user_id) => ({ ...member, user_id })),
    )
    // Whoever is missing from what was inserted was added by somebody else at the same moment.
    for (const id of admitted) outcomes.set(id, conflict(alreadyMember))
    for (const row of added) outcomes.set(row.user_id, row)
    if (added.length > 0) await tell((listener) => listener.added?.(tx, place, added))
    return outcomes
  }

  /** The direct membership that is to be changed, held until the transaction ends. */
  async function heldMember(tx: Tx, place: VisitedPlace, actor: Actor, userId: number): Promise<MemberRow> {
    await lockPlace(tx, place)
    const member = await memberOf(tx, place, userId, today())
    if (!member) throw recordNotFound()
    if (actor.kind !== 'user' || actor.userId !== userId) requireLevel(actor, place, member.access_level)
    if (place.kind === 'project' && (await holderOf(tx, place.namespaceId)) === userId) throw forbidden()
    return member
  }

  /** @throws ApiError 403 when nobody else would own the group */
  async function requireOtherOwner(tx: Tx, place: MemberSource, member: MemberRow): Promise<void> {
    if (place.kind === 'project' || member.access_level < role.owner) return
    if (!(await hasOtherOwner(tx, place.id, member.user_id, today()))) throw forbidden()
  }

  return {
    /** Adds users; of several, one that cannot be added keeps none of the others out (contract 21, x.group_members_add). */
    async add(
      place: VisitedPlace,
      actor: Actor,
      named: NamedUsers,
      wanted: NewMembership,
    ): Promise<PresentedMember | AddedSeveral> {
      requireLevel(actor, place, wanted.accessLevel)
      const users = await findUsers(database.read, named)
      const known = [...users.values()].filter((user) => user !== null)
      const [first] = known
      if (users.size === 1 && !first) throw notFound('User')
      const creatorId = actor.kind === 'user' ? actor.userId : null
      return database.write(async (tx) => {
        const outcomes = await addAll(tx, place, known, wanted, creatorId)
        if (!first || users.size > 1) return summary(users, outcomes)
        const outcome = outcomes.get(first.id)
        if (!outcome || outcome instanceof ApiError) throw outcome ?? notFound('User')
        return presentOne(tx, outcome, place, actor)
      })
    },

    /** Changes the level of a direct member, and the day on which the membership ends. */
    async update(
      place: VisitedPlace,
      actor: Actor,
      userId: number,
      change: MembershipChange,
    ): Promise<PresentedMember> {
      requireLevel(actor, place, change.accessLevel)
      return database.write(async (tx) => {
        const member = await heldMember(tx, place, actor, userId)
        const inherited = await inheritedMemberships(tx, place, [userId], today())
        const fields = problemsOf(place, change, inherited.get(userId), today())
        if (fields) throw invalid(fields)
        if (change.accessLevel < role.owner) await requireOtherOwner(tx, place, member)
        const expires = change.expiresAt === undefined ? {} : { expires_at: change.expiresAt }
        const row = await updateMember(tx, member.id, { access_level: change.accessLevel, ...expires })
        return presentOne(tx, row, place, actor)
      })
    },

    /** Removes a direct member, and unless told otherwise the direct memberships below; members may leave by themselves. */
    async remove(place: VisitedPlace, actor: Actor, userId: number, removal: Removal): Promise<void> {
      await database.write(async (tx) => {
        const member = await heldMember(tx, place, actor, userId)
        removal.requireUnmodified(member.created_at)
        await requireOtherOwner(tx, place, member)
        const { skipSubresources, unassignIssuables } = removal
        const members = await membershipsFrom(tx, place, userId, { below: !skipSubresources })
        await tell((listener) => listener.ending?.(tx, place, { userId, members, unassignIssuables }))
        await deleteMembers(tx, members)
      })
    },
  }
}

/** What is told of several users at once: nothing when all went well, else what went wrong with whom. */
function summary(
  users: ReadonlyMap<string, UserRow | null>,
  outcomes: ReadonlyMap<number, MemberRow | ApiError>,
): AddedSeveral {
  const message: Record<string, string> = Object.create(null)
  for (const [text, user] of users) {
    const outcome = user && outcomes.get(user.id)
    if (!user || !outcome) message[text] = 'User Not Found'
    else if (outcome instanceof ApiError) message[user.username] = sentenceOf(outcome)
  }
  return Object.keys(message).length > 0 ? { status: 'error', message } : { status: 'success' }
}

export type Members = ReturnType<typeof createMembers>
