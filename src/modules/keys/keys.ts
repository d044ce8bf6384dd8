import { type Actor, notFound, type Page, type PageRequest, unauthorized } from '../../api/index.ts'
import { isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { isKnownToExternal, type UserRow, userById, userByIdOrUsername } from '../users/index.ts'
import { formatSshKey, md5Fingerprint, type SshKey, sha256Fingerprint } from './format/ssh-key.ts'
import type { NewKey } from './params.ts'
import { type PresentedKey, presentKey } from './present.ts'
import { defaultKeyPolicy, expiryProblems, readKey, refusal, takenFingerprint, titleProblems } from './rules.ts'
import { deleteKeys, insertKey, keyByFingerprint, keyOfUser, listKeysOfUser } from './store.ts'
import type { KeyRow } from './tables.ts'

/** The caller's id. */
function ownId(actor: Actor): number {
  if (actor.kind !== 'user') throw unauthorized()
  return actor.userId
}

/** @throws ApiError 404 */
async function requireKey(db: Reader, userId: number, keyId: number): Promise<KeyRow> {
  const key = await keyOfUser(db, userId, keyId)
  if (!key) throw notFound('Key')
  return key
}

/** @throws ApiError 404 */
async function requireUser(db: Reader, id: number): Promise<UserRow> {
  const user = await userById(db, id)
  if (!user) throw notFound('User')
  return user
}

/** @throws ApiError 404 when the user does not exist, or is hidden from an external caller (contract 20 R9) */
export async function requireVisibleUser(db: Reader, user: UserRow | null, actor: Actor): Promise<UserRow> {
  if (!user) throw notFound('User')
  const isConfined = actor.kind === 'user' && actor.external && !actor.administrator && actor.userId !== user.id
  if (isConfined && !(await isKnownToExternal(db, user, actor.userId))) throw notFound('User')
  return user
}

async function listKeys({ database }: Platform, userId: number, page: PageRequest): Promise<Page<PresentedKey>> {
  const found = await listKeysOfUser(database.read, userId, page)
  return { ...found, items: found.items.map(presentKey) }
}

async function insert({ clock }: Platform, tx: Tx, userId: number, key: SshKey, wanted: NewKey): Promise<KeyRow> {
  return insertKey(tx, {
    kind: 'user',
    user_id: userId,
    title: wanted.title,
    key: formatSshKey(key),
    type: key.type,
    fingerprint_md5: md5Fingerprint(key.blob),
    fingerprint_sha256: sha256Fingerprint(key.blob),
    usage_type: wanted.usage_type ?? 'auth_and_signing',
    expires_at: wanted.expires_at ?? null,
    created_at: now(clock),
  })
}

/**
 * Adds a key of a user (contract 20, x.users_keys_create).
 * @throws ApiError 404 for an unknown user; 400, form C
 */
export async function createUserKey(platform: Platform, userId: number, wanted: NewKey): Promise<PresentedKey> {
  const { max_ssh_key_lifetime: lifetimeDays } = await platform.settings.current()
  const { key, problems } = readKey(wanted.key, defaultKeyPolicy)
  const others = [
    ...expiryProblems(wanted.expires_at, lifetimeDays, platform.clock.now()),
    ...titleProblems(wanted.title),
  ]
  try {
    return await platform.database.write(async (tx) => {
      const { id } = await requireUser(tx, userId)
      const isTaken = key !== null && (await keyByFingerprint(tx, sha256Fingerprint(key.blob))) !== null
      const all = [...problems, ...(isTaken ? [takenFingerprint] : []), ...others]
      if (!key || all.length > 0) throw refusal(all)
      return presentKey(await insert(platform, tx, id, key, wanted))
    })
  } catch (error) {
    // A concurrent transaction inserted the same key.
    if (isUniqueViolation(error, 'keys_fingerprint_sha256_unique')) throw refusal([takenFingerprint])
    throw error
  }
}

/**
 * Removes a key of a user (contract 20, x.users_keys_delete).
 * @throws ApiError 404 or 412
 */
export async function removeUserKey(
  { database }: Platform,
  userId: number,
  keyId: number,
  unmodified: (at: string) => void,
): Promise<void> {
  await database.write(async (tx) => {
    const { id } = await requireUser(tx, userId)
    const key = await requireKey(tx, id, keyId)
    unmodified(key.created_at)
    if ((await deleteKeys(tx, [key.id])) === 0n) throw notFound('Key')
  })
}

/** A page of the keys of a user, by id or username (contract 20, x.users_keys_list). @throws ApiError 404 */
export async function listUserKeys(
  platform: Platform,
  idOrUsername: string,
  actor: Actor,
  page: PageRequest,
): Promise<Page<PresentedKey>> {
  const db = platform.database.read
  const { id } = await requireVisibleUser(db, await userByIdOrUsername(db, idOrUsername), actor)
  return listKeys(platform, id, page)
}

/** @throws ApiError 404 (contract 20, x.users_keys_get) */
export async function getUserKey(
  { database }: Platform,
  userId: number,
  keyId: number,
  actor: Actor,
): Promise<PresentedKey> {
  const db = database.read
  const { id } = await requireVisibleUser(db, await userById(db, userId), actor)
  return presentKey(await requireKey(db, id, keyId))
}

/** A page of the caller's keys (contract 20, x.user_keys_list). */
export async function listOwnKeys(platform: Platform, actor: Actor, page: PageRequest): Promise<Page<PresentedKey>> {
  return listKeys(platform, ownId(actor), page)
}

/** @throws ApiError 404 (contract 20, x.user_keys_get) */
export async function getOwnKey({ database }: Platform, actor: Actor, keyId: number): Promise<PresentedKey> {
  return presentKey(await requireKey(database.read, ownId(actor), keyId))
}

/** @throws ApiError 400, form C (contract 20, x.user_keys_create) */
export async function createOwnKey(platform: Platform, actor: Actor, wanted: NewKey): Promise<PresentedKey> {
  return createUserKey(platform, ownId(actor), wanted)
}

/** @throws ApiError 404 or 412 (contract 20, x.user_keys_delete) */
export async function removeOwnKey(
  platform: Platform,
  actor: Actor,
  keyId: number,
  unmodified: (at: string) => void,
): Promise<void> {
  await removeUserKey(platform, ownId(actor), keyId, unmodified)
}
