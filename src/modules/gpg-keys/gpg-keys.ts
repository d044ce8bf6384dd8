import {
  type Actor,
  forms,
  invalid,
  lengthProblems,
  notFound,
  type PageRequest,
  type Static,
  Type,
  taken,
} from '../../api/index.ts'
import { isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import { type Platform, recordAct } from '../../platform/index.ts'
import { requireUser, requireVisibleUser } from '../users/index.ts'
import { invalidKeyText, longestKey, readPublicKey } from './openpgp.ts'
import { endKey, insertKey, keyByFingerprint, keyOfUser, pageOfKeys } from './store.ts'
import type { GpgKeyRow } from './tables.ts'

/** An OpenPGP key of a user (contract 20, GPG key). */
export const GpgKey = Type.Object(
  { id: forms.id, key: Type.String({ description: 'In ASCII armour, as given.' }), created_at: forms.timestamp },
  { title: 'GpgKey' },
)

function presentKey({ id, key, created_at }: GpgKeyRow): Static<typeof GpgKey> {
  return { id, key, created_at }
}

const refusal = (text: string) => invalid({ key: [text] })

/** @throws ApiError 404 */
async function requireKey(db: Reader, userId: number, id: number): Promise<GpgKeyRow> {
  const key = await keyOfUser(db, userId, id)
  if (!key) throw notFound('GPG Key')
  return key
}

/** A page of the keys of a user (contract 20, x.users_gpg_list). @throws ApiError 404 */
export async function listKeys(platform: Platform, userId: number, actor: Actor, page: PageRequest) {
  const { database } = platform
  const { id } = await requireVisibleUser(platform, userId, actor)
  const found = await pageOfKeys(database.read, id, page)
  return { ...found, items: found.items.map(presentKey) }
}

/** @throws ApiError 404 (contract 20, x.users_gpg_get) */
export async function getKey(platform: Platform, userId: number, id: number, actor: Actor) {
  const { database } = platform
  const user = await requireVisibleUser(platform, userId, actor)
  return presentKey(await requireKey(database.read, user.id, id))
}

/**
 * Adds a key of a user (contract 20, x.user_gpg_create).
 * @param administrator who does it for the user
 * @throws ApiError 404 for an unknown user; 400 for a text that is no key, and for a key in use
 */
export async function createKey(platform: Platform, userId: number, text: string, administrator?: Actor) {
  const { database, clock } = platform
  await requireUser(database.read, userId)
  const [tooLong] = lengthProblems(text, longestKey)
  if (tooLong) throw refusal(tooLong)
  const parsed = await readPublicKey(text)
  if (!parsed) throw refusal(invalidKeyText)
  const { fingerprint, keyId, subkeys, identities } = parsed
  try {
    return await database.write(async (tx) => {
      const user = await requireUser(tx, userId)
      if (await keyByFingerprint(tx, fingerprint)) throw refusal(taken)
      const columns = { user_id: user.id, key: text.trim(), fingerprint, key_id: keyId, created_at: now(clock) }
      const row = await insertKey(tx, { ...columns, identities: JSON.stringify(identities) }, subkeys)
      await recordAct(platform, tx, administrator, {
        name: 'users_gpg_keys.create',
        target: { kind: 'user', id: user.id },
      })
      return presentKey(row)
    })
  } catch (error) {
    // A concurrent transaction inserted the same key.
    throw isUniqueViolation(error, 'gpg_keys_fingerprint_unique') ? refusal(taken) : error
  }
}

/** How the use of a key ends. */
type Ending = {
  state: 'removed' | 'revoked'
  unmodified?: (at: string) => void
  /** Who does it for the user. */
  administrator?: Actor
}

/**
 * Ends the use of a key of a user. Signatures from before its removal stay verified; a revocation takes the verification back
 * (contract 20, x.user_gpg_delete, x.user_gpg_revoke).
 * @throws ApiError 404 or 412
 */
export async function removeKey(
  platform: Platform,
  userId: number,
  id: number,
  { state, unmodified, administrator }: Ending,
): Promise<void> {
  const { database, clock } = platform
  await database.write(async (tx) => {
    const user = await requireUser(tx, userId)
    const key = await requireKey(tx, user.id, id)
    unmodified?.(key.created_at)
    if (!(await endKey(tx, key, state, now(clock)))) throw notFound('GPG Key')
    const name = state === 'revoked' ? 'users_gpg_keys.revoke' : 'users_gpg_keys.delete'
    await recordAct(platform, tx, administrator, { name, target: { kind: 'user', id: user.id } })
  })
}
