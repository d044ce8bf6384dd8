import { type Actor, notFound, requireSignedIn, type UploadedFile } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react, recordAct } from '../../../platform/index.ts'
import { moveNamespace, namespaceOfUser } from '../../namespaces/index.ts'
import { type Avatar, putAvatar, readAvatar, removeAvatar } from '../avatars/avatars.ts'
import { sendConfirmation } from '../confirmation/confirmation.ts'
import { requireUser } from '../directory/lookup.ts'
import { claimPrimary } from '../emails/claims.ts'
import { confirmedEmailsOf } from '../emails/store.ts'
import { deleteIdentity, putIdentity, updateUser } from '../store.ts'
import type { UserRow, UserState } from '../tables.ts'
import { lockAccounts, requireOtherAdministrator } from './administrators.ts'
import { type NewUser, profileOf, type UserChanges } from './params.ts'
import { hashedPassword } from './passwords.ts'
import { createUserRows, emailTaken } from './rows.ts'
import { duplicateError, identityOf, requireFreeNames, requireValid } from './rules.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** The primary e-mail address of a user has changed. Before `user.saved`. */
    'user.email_changed': { userId: number }
    /** A user was created or changed by an administrator. */
    'user.saved': { userId: number; isNew: boolean }
  }
}

async function uploadedAvatar(avatar: NewUser['avatar']): Promise<Avatar | null | undefined> {
  if (avatar === undefined) return undefined
  return avatar === '' ? null : readAvatar(avatar)
}

const actorId = (actor: Actor) => (actor.kind === 'user' ? actor.userId : null)

/** The session of the account itself by which it is changed. */
function ownSessionId(actor: Actor, userId: number): number | null {
  if (actor.kind !== 'user' || actor.userId !== userId) return null
  return actor.credential.kind === 'session' ? actor.credential.id : null
}

/** Writes accounts. @throws ApiError 409 or 400 when a concurrent request took a name first */
async function write<T>({ database }: Platform, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await database.write(work)
  } catch (error) {
    throw duplicateError(error)
  }
}

/** Stores the picture of a user, or removes it. */
async function setAvatar(platform: Platform, user: UserRow, avatar: Avatar | null): Promise<UserRow> {
  if (avatar) await putAvatar(platform, 'user', user.id, avatar)
  const changes = { avatar: avatar?.name ?? null, updated_at: now(platform.clock) }
  const changed = await platform.database.write((tx) => updateUser(tx, user.id, changes))
  // A user that was removed concurrently leaves no picture behind.
  await removeAvatar(platform, 'user', user.id, changed ? user.avatar : changes.avatar)
  return changed ?? user
}

/** @throws ApiError 409, 400, or 503 while too many passwords are being hashed (contract 20, x.users_create) */
export async function createUser(
  platform: Platform,
  input: NewUser,
  actor: Actor,
  state: UserState = 'active',
): Promise<UserRow> {
  const { database, clock, log } = platform
  const settings = await platform.settings.current()
  const identity = identityOf(input)
  const isRandom = input.reset_password === true || input.force_random_password === true
  const { email, name, username } = input
  await requireFreeNames(database.read, { email, username })
  const confirmed = input.skip_confirmation === true || settings.email_confirmation_setting === 'off'
  // Accounts with a random password are stored without one: the user has to set one to sign in.
  const password = isRandom ? undefined : (input.password ?? '')
  const rules = { password: settings, address: { email, confirmed } }
  requireValid({ ...input, password }, rules)
  const avatar = await uploadedAvatar(input.avatar)
  const password_hash = password === undefined ? null : await hashedPassword(password)
  // Loaded here, since a transaction does not wait for files.
  if (!confirmed) await platform.secrets.sealer()
  const moment = now(clock)
  const user = await write(platform, async (tx) => {
    const row = await createUserRows(tx, {
      username,
      name,
      email,
      state,
      password_hash,
      is_admin: input.admin,
      external: input.external ?? settings.user_default_external,
      private_profile: input.private_profile ?? settings.user_defaults_to_private_profile,
      can_create_group: input.can_create_group ?? settings.can_create_group,
      projects_limit: input.projects_limit ?? settings.default_projects_limit,
      confirmed_at: confirmed ? moment : null,
      public_email: input.public_email || null,
      note: input.note ?? null,
      profile: profileOf(input),
      created_by_id: actorId(actor),
      created_at: moment,
    })
    if (identity) await putIdentity(tx, row.id, identity.provider, identity.externUid)
    if (!confirmed) await sendConfirmation(platform, tx, row, email)
    await react(platform, tx, 'user.saved', { userId: row.id, isNew: true })
    await recordAct(platform, tx, actor, { name: 'users.create', target: { kind: 'user', id: row.id }, changed: input })
    return row
  })
  if (input.reset_password) log.info({ user: user.id }, 'no password link sent: there is no page to set a password')
  return avatar ? setAvatar(platform, user, avatar) : user
}

const isOther = (email: string, before: string) => email.toLowerCase() !== before.toLowerCase()

/** The address after a change, and a new address that has to be confirmed first. */
async function addressAfter(
  { settings }: Platform,
  user: UserRow,
  { email = user.email, skip_reconfirmation }: UserChanges,
): Promise<{ email: string; unconfirmed?: string }> {
  const { email_confirmation_setting: confirmation } = await settings.current()
  const isNew = isOther(email, user.email)
  const waits = isNew && confirmation !== 'off' && skip_reconfirmation !== true
  return waits ? { email: user.email, unconfirmed: email } : { email }
}

async function rename(
  platform: Platform,
  tx: Tx,
  user: UserRow,
  { username = user.username, name = user.name }: UserChanges,
) {
  if (username === user.username && name === user.name) return
  const namespace = await namespaceOfUser(tx, user.id)
  if (namespace) await moveNamespace(platform, tx, namespace, { name, path: username, parent: null })
}

/** The columns that the parameters change. */
function columnsOf(user: UserRow, input: UserChanges, address: { email: string; unconfirmed?: string }) {
  const moved = isOther(address.email, user.email)
  // The old address is no longer confirmed, so it may not be shown either.
  const publicEmail = input.public_email === undefined ? (moved ? null : user.public_email) : input.public_email
  const dropped = moved ? { commit_email: undefined, unconfirmed_email: undefined } : {}
  const profile = { ...user.profile, ...dropped, ...profileOf(input) }
  return {
    email: address.email,
    name: input.name ?? user.name,
    username: input.username ?? user.username,
    is_admin: input.admin ?? user.is_admin,
    external: input.external ?? user.external,
    private_profile: input.private_profile ?? user.private_profile,
    can_create_group: input.can_create_group ?? user.can_create_group,
    projects_limit: input.projects_limit ?? user.projects_limit,
    note: input.note === undefined ? user.note : input.note,
    public_email: publicEmail || null,
    profile: JSON.stringify(address.unconfirmed ? { ...profile, unconfirmed_email: address.unconfirmed } : profile),
  }
}

/** @throws ApiError 404, 409, 400, or 503 while too many passwords are being hashed (contract 20, x.users_update) */
export async function changeUser(platform: Platform, id: number, input: UserChanges, actor: Actor): Promise<UserRow> {
  const { database, settings, clock } = platform
  const identity = identityOf(input)
  const before = await requireUser(database.read, id)
  await requireFreeNames(database.read, input, before)
  const address = await addressAfter(platform, before, input)
  const confirmed = before.confirmed_at !== null
  const secondary = await confirmedEmailsOf(database.read, before.id)
  requireValid(input, {
    password: await settings.current(),
    address: { email: address.email, confirmed },
    secondary,
  })
  const avatar = await uploadedAvatar(input.avatar)
  const password =
    input.password === undefined
      ? {}
      : { password_hash: await hashedPassword(input.password), password_expired: actorId(actor) !== before.id }
  if (address.unconfirmed) await platform.secrets.sealer()
  const user = await write(platform, async (tx) => {
    // The profile is a single column: without the lock, concurrent changes of it would overwrite each other.
    await lockAccounts(tx)
    const current = await requireUser(tx, id)
    if (input.admin === false) await requireOtherAdministrator(tx, current)
    if (isOther(address.email, current.email) && !(await claimPrimary(tx, address.email, current.id)))
      throw emailTaken()
    await rename(platform, tx, current, input)
    if (identity) await putIdentity(tx, current.id, identity.provider, identity.externUid)
    const changes = { ...columnsOf(current, input, address), ...password, updated_at: now(clock) }
    const changed = (await updateUser(tx, current.id, changes)) ?? current
    if (changed.email !== current.email) await react(platform, tx, 'user.email_changed', { userId: current.id })
    if (address.unconfirmed) await sendConfirmation(platform, tx, current, address.unconfirmed)
    if (input.password !== undefined) {
      await react(platform, tx, 'user.password_changed', { userId: id, sessionId: ownSessionId(actor, id) })
    }
    await react(platform, tx, 'user.saved', { userId: current.id, isNew: false })
    await recordAct(platform, tx, actor, { name: 'users.update', target: { kind: 'user', id }, changed: input })
    return changed
  })
  return avatar === undefined ? user : setAvatar(platform, user, avatar)
}

/** Replaces the picture of the caller (contract 20, x.user_avatar_put). @throws ApiError 400 */
export async function changeOwnAvatar(platform: Platform, actor: Actor, file: UploadedFile): Promise<UserRow> {
  const user = await requireUser(platform.database.read, requireSignedIn(actor).userId)
  return setAvatar(platform, user, await readAvatar(file))
}

/** @throws ApiError 404 for the user, then for the identity */
export async function removeIdentity(platform: Platform, id: number, provider: string, actor: Actor): Promise<void> {
  await platform.database.write(async (tx) => {
    const user = await requireUser(tx, id)
    if (!(await deleteIdentity(tx, user.id, provider))) throw notFound('Identity')
    await recordAct(platform, tx, actor, { name: 'users.delete_identity', target: { kind: 'user', id: user.id } })
  })
}
