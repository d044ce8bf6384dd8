import {
  type Actor,
  forms,
  notFound,
  type PageRequest,
  refuse,
  requireSignedIn,
  type Static,
  Type,
  taken,
} from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import { type Platform, react, recordAct } from '../../../platform/index.ts'
import { lockAccounts } from '../accounts/administrators.ts'
import { emailProblems } from '../accounts/names.ts'
import { sendConfirmation } from '../confirmation/confirmation.ts'
import { requireUser } from '../directory/lookup.ts'
import { updateUser, userById } from '../store.ts'
import type { UserEmailRow, UserRow } from '../tables.ts'
import { claimSecondary } from './claims.ts'
import { confirmedEmailsOf, deleteEmail, emailOfUser, insertEmail, pageOfEmails } from './store.ts'

/** A secondary address (contract 20, Email). */
export const UserEmail = Type.Object(
  { id: forms.id, email: Type.String(), confirmed_at: forms.nullableTimestamp },
  { title: 'UserEmail' },
)

function presentEmail({ id, email, confirmed_at }: UserEmailRow): Static<typeof UserEmail> {
  return { id, email, confirmed_at }
}

declare module '../../../platform/platform.ts' {
  interface Events {
    /** A user has a further address. */
    'user.address_added': { userId: number }
  }
}

/** The user whose addresses an operation is about: that of the path, or the caller. */
export const subjectOf = (actor: Actor, id?: number) => id ?? requireSignedIn(actor).userId

/** @throws ApiError 404 */
async function requireEmail(db: Reader, userId: number, id: number): Promise<UserEmailRow> {
  const email = await emailOfUser(db, userId, id)
  if (!email) throw notFound('Email')
  return email
}

/** A page of the secondary addresses of a user (contract 20, x.users_emails_list). @throws ApiError 404 */
export async function listEmails({ database }: Platform, userId: number, page: PageRequest) {
  const { id } = await requireUser(database.read, userId)
  const found = await pageOfEmails(database.read, id, page)
  return { ...found, items: found.items.map(presentEmail) }
}

/** @throws ApiError 404 (contract 20, x.user_emails_get) */
export async function getEmail({ database }: Platform, userId: number, id: number) {
  return presentEmail(await requireEmail(database.read, userId, id))
}

/** A secondary address of a user, for an administrator (contract 26, x.users_emails_get). @throws ApiError 404 */
export async function getEmailOf(platform: Platform, userId: number, id: number) {
  const user = await requireUser(platform.database.read, userId)
  return getEmail(platform, user.id, id)
}

/**
 * Adds a secondary address (contract 20, x.user_emails_create, x.users_emails_create). It is confirmed at once when the
 * instance does not confirm addresses, as a primary one is; otherwise by the link of a mail.
 * @param administrator who does it for the user
 * @throws ApiError 404 for an unknown user; 400 for an address that is malformed or taken
 */
export async function addEmail(
  platform: Platform,
  userId: number,
  { email, skip_confirmation: skip = false }: { email: string; skip_confirmation?: boolean },
  administrator?: Actor,
) {
  const { settings, database, clock, secrets } = platform
  const { email_confirmation_setting: confirmation } = await settings.current()
  // Loaded here, since a transaction does not wait for files.
  if (confirmation !== 'off') await secrets.sealer()
  const at = now(clock)
  return database.write(async (tx) => {
    const user = await requireUser(tx, userId)
    const problems = emailProblems(email)
    const isFree = problems.length > 0 || (await claimSecondary(tx, email))
    refuse({ email: isFree ? problems : [taken] })
    const confirmed_at = skip || confirmation === 'off' ? at : null
    const row = await insertEmail(tx, { user_id: user.id, email, confirmed_at, created_at: at })
    if (confirmed_at === null) await sendConfirmation(platform, tx, user, email)
    await react(platform, tx, 'user.address_added', { userId: user.id })
    await recordAct(platform, tx, administrator, { name: 'users_emails.create', target: { kind: 'user', id: user.id } })
    return presentEmail(row)
  })
}

/** The columns of a user that name an address which they no longer have. */
function withoutAddress({ public_email, profile }: UserRow, address: string) {
  const isIt = (value: string | null | undefined) => value?.toLowerCase() === address.toLowerCase()
  const { commit_email: commitEmail, ...rest } = profile
  return {
    public_email: isIt(public_email) ? null : public_email,
    profile: JSON.stringify(isIt(commitEmail) ? rest : profile),
  }
}

/** Removes a secondary address (contract 20, x.user_emails_delete). @throws ApiError 404 or 412 */
export async function removeEmail(
  platform: Platform,
  userId: number,
  id: number,
  { unmodified, administrator }: { unmodified: (at: string) => void; administrator?: Actor },
): Promise<void> {
  const { database, clock } = platform
  await database.write(async (tx) => {
    await lockAccounts(tx)
    const user = await requireUser(tx, userId)
    const email = await requireEmail(tx, user.id, id)
    unmodified(email.created_at)
    await deleteEmail(tx, email.id)
    await updateUser(tx, user.id, { ...withoutAddress(user, email.email), updated_at: now(clock) })
    await recordAct(platform, tx, administrator, { name: 'users_emails.delete', target: { kind: 'user', id: user.id } })
  })
}

/** All confirmed addresses of a user, in lower case; none of a user who is gone. */
export async function confirmedAddressesOf(db: Reader, userId: number): Promise<string[]> {
  const user = await userById(db, userId)
  if (!user) return []
  const primary = user.confirmed_at === null ? [] : [user.email.toLowerCase()]
  return [...primary, ...(await confirmedEmailsOf(db, user.id))]
}
