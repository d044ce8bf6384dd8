import {
  type Actor,
  badRequest,
  dayOf,
  invalid,
  type Page,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Static,
  tooManyRequests,
  type Unmodified,
} from '../../api/index.ts'
import { claim, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { randomToken } from '../../infra/secrets/index.ts'
import {
  type Act,
  mayMailLink,
  type Platform,
  type Reaction,
  sendMail,
  sendMails,
  sendsMail,
} from '../../platform/index.ts'
import { expiryJob, type MemberSource, memberRoleProblems, roleName } from '../access/index.ts'
import {
  type AddedSeveral,
  addAll,
  errorsOf,
  problemsOf,
  recordAdded,
  requireGrant,
  requireLevel,
  sentenceOf,
} from '../members/index.ts'
import { type ProjectOrGroup, projectById } from '../projects/index.ts'
import { confirmedAddressesOf, emailProblems, type UserRow, usersByEmails, usersByIds } from '../users/index.ts'
import type { InvitationChange, NewInvitations } from './params.ts'
import { Invitation } from './present.ts'
import * as store from './store.ts'
import type { InvitationRow, NewInvitation } from './tables.ts'

const malformed = 'Invite email is invalid'
const alreadyInvited = 'Invite email has already been taken'

/** A page of the pending invitations, oldest first (contract 21, x.group_invites_list). */
export async function listInvitations(
  { database }: Platform,
  source: ProjectOrGroup,
  query: string | undefined,
  page: PageRequest,
): Promise<Page<Static<typeof Invitation>>> {
  const found = await store.pageOfInvitations(database.read, source, query, page)
  return { ...found, items: found.items.map((row) => Invitation.present(row)) }
}

/** The pending invitation of an address (contract 26, x.group_invites_get, x.project_invites_get). @throws ApiError 404 */
export async function getInvitation(
  { database }: Platform,
  source: ProjectOrGroup,
  email: string,
): Promise<Static<typeof Invitation>> {
  const row = await store.sentInvitation(database.read, source, email)
  if (!row) throw recordNotFound()
  return Invitation.present(row)
}

type Invited = {
  /** The users by the text that names them in the answer. */
  users: Map<string, UserRow>
  /** The addresses without an account. */
  addresses: string[]
  /** What is wrong with the others. */
  problems: Record<string, string>
}

/** Divides what a request names. Each user and each address counts once, whatever its case. */
async function whoIsInvited(tx: Tx, { email: emails = [], user_id: ids = [] }: NewInvitations): Promise<Invited> {
  const invited: Invited = { users: new Map(), addresses: [], problems: Object.create(null) }
  const byId = await usersByIds(tx, ids.filter(Number.isSafeInteger))
  for (const id of ids) {
    const user = byId.get(id)
    if (user && user.removed_at === null) invited.users.set(user.username, user)
    else invited.problems[String(id)] = 'User Not Found'
  }
  const unique = new Map(emails.map((email) => [email.trim().toLowerCase(), email.trim()]))
  const known = new Map((await usersByEmails(tx, [...unique.keys()])).map(({ address, user }) => [address, user]))
  for (const [folded, email] of unique) {
    const user = known.get(folded)
    if (emailProblems(email).length > 0) invited.problems[email] = malformed
    else if (user) invited.users.set(email, user)
    else invited.addresses.push(email)
  }
  return invited
}

/** The mail to an invited address. It contains no secret: the membership begins when an account has the address. */
function mailOf({ externalUrl }: Platform, source: ProjectOrGroup, by: UserRow | undefined, row: InvitationRow) {
  const path = source.project?.full_path ?? source.group?.full_path
  const role = roleName(row.access_level)
  return {
    to: row.email,
    subject: `Invitation to join the ${source.kind} ${path}`,
    text: [
      `${by?.name ?? 'An administrator'} invites you to join the ${source.kind} ${path} as ${role}:`,
      `${externalUrl}/${source.kind === 'group' ? 'groups/' : ''}${path}`,
      '',
      `You are a member as soon as an account of ${externalUrl} has the address ${row.email}.`,
    ].join('\n'),
  }
}

/**
 * Invites addresses, and adds users, each independently of the others (contract 21, x.group_invites_create,
 * x.project_invites_create). An address of a user makes that user a member.
 * @throws ApiError 403 for a role above that of the caller
 */
export async function invite(
  platform: Platform,
  source: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  wanted: NewInvitations,
): Promise<AddedSeveral> {
  const { access_level, expires_at = null, member_role_id = null } = wanted
  await requireGrant(platform.database.read, actor, source, wanted)
  const created_by_id = actor.kind === 'user' ? actor.userId : null
  const created_at = now(platform.clock)
  return platform.database.write(async (tx) => {
    const { users, addresses, problems } = await whoIsInvited(tx, wanted)
    const outcomes = await addAll(platform, tx, source, created_by_id, [...users.values()], wanted)
    await recordAdded(tx, act, outcomes)
    Object.assign(problems, errorsOf(users, outcomes))
    const memberRole = await memberRoleProblems(tx, source.namespaceId, wanted)
    const problem = problemsOf(source, wanted, undefined, dayOf(platform.clock.now()), memberRole)
    const rows = problem
      ? []
      : addresses.map(
          (email): NewInvitation => ({
            ...{ project_id: null, namespace_id: null },
            [source.kind === 'project' ? 'project_id' : 'namespace_id']: source.id,
            ...{ email, folded_email: email.toLowerCase(), access_level, expires_at, created_by_id, created_at },
            ...{ token: randomToken(''), member_role_id },
          }),
        )
    const added = await store.insertInvitations(tx, rows)
    for (const { email } of added) await act(tx, email)
    const sent = new Set(added.map((row) => row.email))
    for (const email of addresses)
      if (!sent.has(email)) problems[email] = problem ? sentenceOf(problem) : alreadyInvited
    const by = created_by_id === null ? undefined : (await usersByIds(tx, [created_by_id])).get(created_by_id)
    await sendMails(
      platform,
      tx,
      added.map((row) => mailOf(platform, source, by, row)),
    )
    return Object.keys(problems).length > 0 ? { status: 'error', message: problems } : { status: 'success' }
  })
}

/**
 * Changes role and end of an invitation (contract 21, x.group_invites_update, x.project_invites_update).
 * @throws ApiError 400, 403, 404
 */
export async function changeInvitation(
  platform: Platform,
  source: ProjectOrGroup,
  { actor, act }: { actor: Actor; act: Act },
  { email, access_level, expires_at }: InvitationChange,
) {
  return platform.database.write(async (tx) => {
    const before = await store.invitationOf(tx, source, email)
    if (!before) throw recordNotFound()
    requireLevel(actor, source, Math.max(before.access_level, access_level ?? 0))
    const changes = {
      access_level: access_level ?? before.access_level,
      expires_at: expires_at === undefined ? before.expires_at : expires_at,
      // The member role ends with the level that it stands on.
      ...(access_level !== undefined && access_level !== before.access_level && { member_role_id: null }),
    }
    const problem = problemsOf(source, changes, undefined, dayOf(platform.clock.now()))
    if (problem) throw invalid(problem)
    const row = await store.updateInvitation(tx, before.id, changes)
    if (!row) throw recordNotFound()
    await act(tx, row.email)
    return { expires_at: row.expires_at, access_level: row.access_level }
  })
}

const hourSeconds = 3600

/**
 * Sends the mail of an invitation again (contract 21, x.group_invites_resend, x.project_invites_resend).
 * @throws ApiError 400 on a server without a mail server; 403, 404; 429 after five mails in an hour
 */
export async function resendInvitation(
  platform: Platform,
  source: ProjectOrGroup,
  actor: Actor,
  email: string,
): Promise<void> {
  const { userId } = requireSignedIn(actor)
  const row = await store.invitationOf(platform.database.read, source, email)
  if (!row) throw recordNotFound()
  requireLevel(actor, source, row.access_level)
  if (!sendsMail(platform)) throw badRequest('This server sends no mails')
  if (!(await mayMailLink(platform, row.email))) throw tooManyRequests(hourSeconds)
  await platform.database.write(async (tx) => {
    const current = await store.invitationOf(tx, source, email)
    if (!current) throw recordNotFound()
    const by = (await usersByIds(tx, [userId])).get(userId)
    await sendMail(platform, tx, mailOf(platform, source, by, current))
  })
}

/** Withdraws an invitation (contract 21, x.group_invites_delete, x.project_invites_delete). @throws ApiError 404, 412 */
export async function deleteInvitation(
  { database }: Platform,
  source: ProjectOrGroup,
  email: string,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'invitations', () => store.invitationOf(tx, source, email))
    if (!row) throw recordNotFound()
    unmodified(row.created_at)
    await store.deleteInvitation(tx, row.id)
    await act(tx, row.email)
  })
}

/** Withdraws invitations that have expired: they make no one a member any more. */
export const endExpiredInvitations = expiryJob('invitations.end_expired', {
  find: store.expiredInvitations,
  end: (_platform, tx, id, today) => store.deleteExpiredInvitation(tx, id, today),
})

/** What an invitation is to; null when it is gone. */
async function sourceOf(
  db: Reader,
  { project_id: projectId, namespace_id: id }: InvitationRow,
): Promise<MemberSource | null> {
  if (id !== null) return { kind: 'group', id, namespaceId: id }
  const project = projectId === null ? null : await projectById(db, projectId)
  return project && { kind: 'project', id: project.id, namespaceId: project.namespace_id }
}

/** Makes a user a member wherever one of their confirmed addresses is invited. */
export const acceptInvitations: Reaction<{ userId: number }> = async (platform, tx, { userId }) => {
  const rows = await store.takeInvitations(tx, await confirmedAddressesOf(tx, userId))
  if (rows.length === 0) return
  const user = (await usersByIds(tx, [userId])).get(userId)
  if (!user) return
  for (const row of rows) {
    const source = await sourceOf(tx, row)
    if (!source) continue
    // What was invited to may have moved away from the group of the member role.
    const isForeign = (await memberRoleProblems(tx, source.namespaceId, row)).length > 0
    const wanted = isForeign ? { ...row, member_role_id: null } : row
    await addAll(platform, tx, source, row.created_by_id, [user], wanted)
  }
}
