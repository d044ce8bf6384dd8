import { type Actor, ApiError, conflict, dayOf, invalid, notFound, type Problems } from '../../api/index.ts'
import { now, type Reader, type Tx } from '../../infra/database/index.ts'
import { type Act, type Platform, react } from '../../platform/index.ts'
import {
  holdExpiredOf,
  insertMembers,
  type MemberRow,
  type MemberSource,
  memberRoleProblems,
  roleName,
} from '../access/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'
import { type UserRow, usersByIds, usersByUsernames } from '../users/index.ts'
import { endExpired } from './expiry/expiry.ts'
import type { NewMembers } from './params.ts'
import { presentMembership, problemsOf, requireGrant, requireLevel } from './rules.ts'
import { directMemberIds, inheritedMemberships } from './store.ts'

/** The response to several users at once, with the errors by user name. */
export type AddedSeveral = { status: 'success' | 'error'; message?: Record<string, string> }
type Outcomes = ReadonlyMap<number, MemberRow | ApiError>

const alreadyMember = 'Member already exists'
const botElsewhere = 'project bots cannot be added to other groups / projects'
const accountElsewhere = 'Service accounts of a project can be added to that project only'
const fieldNames: Record<string, string> = {
  access_level: 'Access level',
  expires_at: 'Expires at',
  member_role: 'Member role',
  user: 'User',
}

/** The problems of a membership, as one sentence. */
export function sentenceOf(problems: Problems): string {
  return Object.entries(problems)
    .flatMap(([name, texts]) => texts.map((text) => (name === 'base' ? text : `${fieldNames[name] ?? name} ${text}`)))
    .join(' and ')
}

const messageOf = ({ body: { message } }: ApiError): string =>
  typeof message === 'string' ? message : sentenceOf(message as Problems)

/** The users of a request by the text that names them, in its order; null where there is none. Duplicates count once. */
async function findUsers(db: Reader, { user_id: ids, username = [] }: NewMembers) {
  const texts = ids ? ids.map(String) : username.map((name) => name.toLowerCase())
  const found = ids
    ? (await usersByIds(db, ids.filter(Number.isSafeInteger))).values()
    : await usersByUsernames(db, texts)
  const users = new Map<string, UserRow>()
  for (const user of found) {
    const isRemoved = user.removed_at !== null || user.bot_kind === 'ghost'
    if (!isRemoved) users.set(ids ? String(user.id) : user.username.toLowerCase(), user)
  }
  return new Map(texts.map((text) => [text, users.get(text) ?? null]))
}

/**
 * A bot belongs to one group or project and cannot join others (contract 00, "Authentication"), nor can the service account of a
 * project (contract 26.9).
 */
function confinementOf(user: UserRow, { kind, id }: MemberSource): Problems | null {
  if (user.bot_kind !== null && user.bot_kind !== 'service_account') return { user: [botElsewhere] }
  const { provisioned_by_project_id: own } = user
  return own === null || (kind === 'project' && id === own) ? null : { base: [accountElsewhere] }
}

/** The level, the end and the member role of new memberships; `created_at`: default now. */
type Admission = {
  access_level: number
  expires_at?: string | null
  created_at?: string
  member_role_id?: number | null | undefined
}

const idOf = (actor: Actor) => (actor.kind === 'user' ? actor.userId : null)

/** Makes users members. @returns for each user the row, or the error for which there is none */
export async function addAll(
  platform: Platform,
  tx: Tx,
  source: MemberSource,
  created_by_id: number | null,
  users: readonly UserRow[],
  wanted: Admission,
): Promise<Outcomes> {
  const day = dayOf(platform.clock.now())
  const ids = users.map(({ id }) => id)
  for (const expired of await holdExpiredOf(tx, source, ids, day)) await endExpired(platform, tx, expired)
  const existing = await directMemberIds(tx, source, ids)
  const inherited = await inheritedMemberships(tx, source, ids, day)
  const memberRole = await memberRoleProblems(tx, source.namespaceId, wanted)
  const outcomes = new Map<number, MemberRow | ApiError>()
  for (const user of users) {
    const problems = problemsOf(source, wanted, inherited.get(user.id), day, memberRole)
    const fields = confinementOf(user, source) ?? problems
    if (existing.has(user.id)) outcomes.set(user.id, conflict(alreadyMember))
    else if (fields) outcomes.set(user.id, invalid(fields))
  }
  const { access_level, expires_at = null, created_at = now(platform.clock), member_role_id = null } = wanted
  const member = { access_level, expires_at, created_by_id, created_at, member_role_id }
  const admitted = ids.filter((id) => !outcomes.has(id))
  const rows = admitted.map((user_id) => ({ ...member, user_id }))
  const added = await insertMembers(tx, source, rows)
  // A user who is missing in the inserted rows was added by a concurrent request.
  for (const id of admitted) outcomes.set(id, conflict(alreadyMember))
  for (const row of added) outcomes.set(row.user_id, row)
  const memberIds = added.map(({ id }) => id)
  const { kind, id } = source
  if (memberIds.length > 0) await react(platform, tx, 'members.added', { source: { kind, id }, memberIds })
  return outcomes
}

/** Records the new members among the outcomes. */
export async function recordAdded(tx: Tx, act: Act, outcomes: Outcomes): Promise<void> {
  for (const [userId, outcome] of outcomes) {
    if (!(outcome instanceof ApiError)) await act(tx, userId, { as: roleName(outcome.access_level) })
  }
}

/** The membership of one user. @throws ApiError the error for which there is none; 404 User without a user */
async function presentOutcome(
  platform: Platform,
  tx: Tx,
  source: ProjectOrGroup,
  actor: Actor,
  outcome: MemberRow | ApiError | undefined,
) {
  if (!outcome || outcome instanceof ApiError) throw outcome ?? notFound('User')
  return presentMembership(platform, tx, outcome, source, actor)
}

/**
 * Makes one user a member in the caller's transaction, as for a request for access (contract 3.22).
 * @throws ApiError 400, 403, 404 User, 409
 */
export async function admitMember(
  platform: Platform,
  tx: Tx,
  source: ProjectOrGroup,
  actor: Actor,
  { user_id: userId, ...wanted }: Admission & { user_id: number },
) {
  requireLevel(actor, source, wanted.access_level)
  const users = await usersByIds(tx, [userId])
  const outcomes = await addAll(platform, tx, source, idOf(actor), [...users.values()], wanted)
  return presentOutcome(platform, tx, source, actor, outcomes.get(userId))
}

/** The errors of those who were not added, by the texts that name them. */
export function errorsOf(users: ReadonlyMap<string, UserRow>, outcomes: Outcomes): Record<string, string> {
  const message: Record<string, string> = Object.create(null)
  for (const [text, user] of users) {
    const outcome = outcomes.get(user.id)
    if (outcome instanceof ApiError) message[text] = messageOf(outcome)
  }
  return message
}

function summary(users: ReadonlyMap<string, UserRow | null>, outcomes: Outcomes): AddedSeveral {
  const message: Record<string, string> = Object.create(null)
  for (const [text, user] of users) {
    const outcome = user && outcomes.get(user.id)
    if (!user || !outcome) message[text] = 'User Not Found'
    else if (outcome instanceof ApiError) message[user.username] = messageOf(outcome)
  }
  return Object.keys(message).length > 0 ? { status: 'error', message } : { status: 'success' }
}

/**
 * Adds users, each independently of the others (contract 21, x.group_members_add, x.project_members_add).
 * @throws ApiError 403; for a single user also 400, 404 User, 409
 */
export async function addMembers(
  platform: Platform,
  source: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  wanted: NewMembers,
) {
  const { database } = platform
  await requireGrant(database.read, actor, source, wanted)
  const users = await findUsers(database.read, wanted)
  const known = [...users.values()].filter((user) => user !== null)
  const [first] = known
  if (users.size === 1 && !first) throw notFound('User')
  return database.write(async (tx) => {
    const outcomes = await addAll(platform, tx, source, idOf(actor), known, wanted)
    await recordAdded(tx, act, outcomes)
    if (!first || users.size > 1) return summary(users, outcomes)
    return presentOutcome(platform, tx, source, actor, outcomes.get(first.id))
  })
}
