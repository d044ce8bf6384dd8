import { type Actor, notFound, unavailable } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { hashPassword, PasswordQueueFull } from '../../infra/secrets/index.ts'
import { moveNamespace, namespaceOfUser } from '../namespaces/index.ts'
import type { Settings } from '../settings/index.ts'
import { type Avatar, type Avatars, readAvatar } from './avatars.ts'
import { createUserRows } from './create.ts'
import { type CreateUserInput, profileOf, type UpdateUserInput } from './input.ts'
import { duplicateError, identityOf, requireFreeNames, requireValid } from './rules.ts'
import { holdAccounts, requireOtherAdministrator } from './states.ts'
import { deleteIdentity, putIdentity, updateUser, userById } from './store/users.ts'
import type { UserRow } from './tables.ts'

export type AccountNeeds = {
  database: Database
  clock: Clock
  settings: Settings
  avatars: Avatars
  /** Tells a user where to set a password. */
  sendPasswordLink(user: UserRow): void
}

/**
 * The user of an id in the path.
 * @throws ApiError 404
 */
export async function requireUser(db: Reader, id: string): Promise<UserRow> {
  const number = Number(id)
  const user = Number.isSafeInteger(number) ? await userById(db, number) : null
  if (!user) throw notFound('User')
  return user
}

async function hashed(password: string): Promise<string> {
  try {
    return await hashPassword(password)
  } catch (error) {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  }
}

async function uploadedAvatar(avatar: CreateUserInput['avatar']): Promise<Avatar | null | undefined> {
  if (avatar === undefined) return undefined
  return avatar === '' ? null : readAvatar(avatar)
}

const actorId = (actor: Actor) => (actor.kind === 'user' ? actor.userId : null)

/** Makes and changes accounts (contract 20, x.users_create, x.users_update). */
export function createAccounts({ database, clock, settings, avatars, sendPasswordLink }: AccountNeeds) {
  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await database.write(work)
    } catch (error) {
      throw duplicateError(error)
    }
  }

  async function setAvatar(user: UserRow, avatar: Avatar | null): Promise<UserRow> {
    if (avatar) await avatars.put('user', user.id, avatar)
    const changes = { avatar: avatar?.name ?? null, updated_at: now(clock) }
    const changed = await database.write((tx) => updateUser(tx, user.id, changes))
    // Nothing stays of a picture whose owner was removed meanwhile.
    await avatars.removeOthers('user', user.id, changed ? changes.avatar : null)
    return changed ?? user
  }

  async function create(input: CreateUserInput, actor: Actor): Promise<UserRow> {
    const rules = await settings.current()
    const identity = identityOf(input)
    const isRandom = input.reset_password === true || input.force_random_password === true
    const { email, name, username } = input
    await requireFreeNames(database.read, { email, username })
    const confirmed = input.skip_confirmation === true || rules.email_confirmation_setting === 'off'
    // A password that nobody knows is none: it is left out, and whoever needs one sets it.
    const password = isRandom ? undefined : (input.password ?? '')
    requireValid(
      { ...input, password },
      { minimumPasswordLength: rules.minimum_password_length, address: { email, confirmed } },
    )
    const avatar = await uploadedAvatar(input.avatar)
    const passwordHash = password === undefined ? null : await hashed(password)
    const moment = now(clock)
    const user = await write(async (tx) => {
      const row = await createUserRows(tx, {
        username,
        name,
        email,
        passwordHash,
        isAdmin: input.admin,
        external: input.external ?? rules.user_default_external,
        privateProfile: input.private_profile ?? rules.user_defaults_to_private_profile,
        canCreateGroup: input.can_create_group ?? rules.can_create_group,
        projectsLimit: input.projects_limit ?? rules.default_projects_limit,
        confirmedAt: confirmed ? moment : null,
        publicEmail: input.public_email || null,
        note: input.note ?? null,
        profile: profileOf(input),
        createdById: actorId(actor),
        now: moment,
      })
      if (identity) await putIdentity(tx, row.id, identity.provider, identity.externUid)
      return row
    })
    if (input.reset_password) sendPasswordLink(user)
    return avatar ? setAvatar(user, avatar) : user
  }

  /** The address after the change: with confirmation on it stays until the new one is confirmed. */
  async function addressAfter(user: UserRow, { email, skip_reconfirmation }: UpdateUserInput) {
    const { email_confirmation_setting: confirmation } = await settings.current()
    const isNew = email !== undefined && email.toLowerCase() !== user.email.toLowerCase()
    if (email === undefined) return { email: user.email, waiting: undefined }
    const waits = isNew && confirmation !== 'off' && skip_reconfirmation !== true
    return waits ? { email: user.email, waiting: email } : { email, waiting: undefined }
  }

  async function rename(tx: Tx, user: UserRow, { username = user.username, name = user.name }: UpdateUserInput) {
    if (username === user.username && name === user.name) return
    const namespace = await namespaceOfUser(tx, user.id)
    if (namespace) await moveNamespace(tx, namespace, { name, path: username, parent: null }, now(clock))
  }

  /** The columns that the parameters change. */
  function columnsOf(user: UserRow, input: UpdateUserInput, address: { email: string; waiting?: string }) {
    const moved = address.email.toLowerCase() !== user.email.toLowerCase()
    // What was shown of the old address is no longer the user's to show.
    const publicEmail = input.public_email === undefined ? (moved ? null : user.public_email) : input.public_email
    const profile = { ...user.profile, ...(moved ? { commit_email: undefined } : {}), ...profileOf(input) }
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
      profile: JSON.stringify(address.waiting ? { ...profile, unconfirmed_email: address.waiting } : profile),
      updated_at: now(clock),
    }
  }

  async function update(id: string, input: UpdateUserInput, actor: Actor): Promise<UserRow> {
    const identity = identityOf(input)
    const before = await requireUser(database.read, id)
    await requireFreeNames(database.read, input, before)
    const address = await addressAfter(before, input)
    const { minimum_password_length: minimumPasswordLength } = await settings.current()
    const confirmed = before.confirmed_at !== null
    requireValid(input, { minimumPasswordLength, address: { email: address.email, confirmed } })
    const avatar = await uploadedAvatar(input.avatar)
    const password = input.password === undefined ? {} : { password_hash: await hashed(input.password) }
    const expiry = input.password === undefined ? {} : { password_expired: actorId(actor) !== before.id }
    const user = await write(async (tx) => {
      // The profile is one column: two changes of it at once must not undo each other.
      await holdAccounts(tx)
      const current = await requireUser(tx, id)
      if (input.admin === false) await requireOtherAdministrator(tx, current)
      await rename(tx, current, input)
      if (identity) await putIdentity(tx, current.id, identity.provider, identity.externUid)
      const changes = { ...columnsOf(current, input, address), ...password, ...expiry }
      return (await updateUser(tx, current.id, changes)) ?? current
    })
    return avatar === undefined ? user : setAvatar(user, avatar)
  }

  /** @throws ApiError 404 for the user, then for the identity */
  async function removeIdentity(id: string, provider: string): Promise<void> {
    const user = await requireUser(database.read, id)
    if (!(await database.write((tx) => deleteIdentity(tx, user.id, provider)))) throw notFound('Identity')
  }

  return { create, update, removeIdentity }
}

export type Accounts = ReturnType<typeof createAccounts>
