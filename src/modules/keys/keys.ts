import { type Actor, notFound, type PageRequest, type ParamValues, t } from '../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import { type Platform, react, recordAct } from '../../platform/index.ts'
import { requireUser, requireVisibleUser } from '../users/index.ts'
import { sha256Fingerprint } from './format/ssh-key.ts'
import { type PresentedKey, SshKeyObject } from './present.ts'
import { keyColumns, readNewKey, refusal, takenFingerprint } from './rules.ts'
import { deleteKeys, insertKey, keyByFingerprint, keyOfUser, listKeysOfUser } from './store.ts'
import { type KeyRow, usageTypes } from './tables.ts'

export const newKey = {
  key: t.required(
    t.string({ description: 'One line of an OpenSSH `.pub` file.', example: 'ssh-ed25519 AAAA… me@host' }),
  ),
  title: t.required(t.string()),
  expires_at: t.datetime({ description: 'The key is not accepted from this moment on.' }),
  usage_type: t.oneOf(usageTypes, { description: 'Default `auth_and_signing`. A signing key is not accepted by SSH.' }),
}
type NewKey = ParamValues<typeof newKey>

/** @throws ApiError 404 */
async function requireKey(db: Reader, userId: number, keyId: number): Promise<KeyRow> {
  const key = await keyOfUser(db, userId, keyId)
  if (!key) throw notFound('Key')
  return key
}

/**
 * Adds a key of a user (contract 20, x.users_keys_create).
 * @param actor the user, or an administrator who does it for the user
 * @throws ApiError 404 for an unknown user; 400, form C
 */
export async function createUserKey(
  platform: Platform,
  userId: number,
  wanted: NewKey,
  actor: Actor,
): Promise<PresentedKey> {
  const { key, problems } = readNewKey(wanted, platform.clock.now(), await platform.settings.current())
  try {
    return await platform.database.write(async (tx) => {
      const { id } = await requireUser(tx, userId)
      const isTaken = key !== null && (await keyByFingerprint(tx, sha256Fingerprint(key.blob))) !== null
      const all = problems(isTaken)
      if (!key || all.length > 0) throw refusal(all)
      const { usage_type = 'auth_and_signing' } = wanted
      const columns = keyColumns(key, wanted, now(platform.clock))
      const row = await insertKey(tx, { ...columns, kind: 'user', user_id: id, usage_type })
      await react(platform, tx, 'key.added', { keyId: row.id })
      const target = { kind: 'user', id } as const
      await recordAct(platform, tx, actor, { name: 'users_keys.create', target, detail: row.id, byAll: true })
      return SshKeyObject.present(row)
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
  platform: Platform,
  userId: number,
  keyId: number,
  { unmodified, actor }: { unmodified: (at: string) => void; actor: Actor },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const { id } = await requireUser(tx, userId)
    const key = await claim(tx, 'keys', () => requireKey(tx, id, keyId))
    unmodified(key.created_at)
    await react(platform, tx, 'key.removed', { keyId: key.id })
    await deleteKeys(tx, [key.id])
    const target = { kind: 'user', id } as const
    await recordAct(platform, tx, actor, { name: 'users_keys.delete', target, detail: key.id, byAll: true })
  })
}

/** A page of the keys of a user, by id or username (contract 20, x.users_keys_list). @throws ApiError 404 */
export async function listUserKeys(platform: Platform, user: number | string, actor: Actor, page: PageRequest) {
  const { database } = platform
  const { id } = await requireVisibleUser(platform, user, actor)
  const found = await listKeysOfUser(database.read, id, page)
  return { ...found, items: found.items.map((row) => SshKeyObject.present(row)) }
}

/** @throws ApiError 404 (contract 20, x.users_keys_get) */
export async function getUserKey(platform: Platform, userId: number, keyId: number, actor: Actor) {
  const { database } = platform
  const { id } = await requireVisibleUser(platform, userId, actor)
  return SshKeyObject.present(await requireKey(database.read, id, keyId))
}
