import { type Actor, notFound, type Page, type PageRequest, pathId, unauthorized } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { isKnownToExternal, type UserRow, userById, userByIdOrUsername } from '../users/index.ts'
import { type PresentedKey, presentKey } from './present.ts'
import {
  expiryProblems,
  type KeyPolicy,
  type KeyProblem,
  readKey,
  refusal,
  takenFingerprint,
  titleProblems,
  type WantedKey,
} from './rules.ts'
import { formatSshKey, md5Fingerprint, type SshKey, sha256Fingerprint } from './ssh-key.ts'
import { deleteKey, insertKey, keyByFingerprint, keyOfUser, listKeysOfUser } from './store.ts'
import type { KeyRow, UsageType } from './tables.ts'

export type KeyNeeds = {
  database: Database
  clock: Clock
  keyPolicy: KeyPolicy
  /** The settings in force. */
  rules(): Promise<{ readonly max_ssh_key_lifetime: number | null }>
}

/** What a user's new key is to be. */
export type WantedUserKey = WantedKey & { usage_type?: UsageType }

/** Throws when the key changed after the time that the caller named. */
export type RequireUnmodified = (updatedAt: string) => void

/** The id of whoever is signed in. */
function ownId(actor: Actor): number {
  if (actor.kind !== 'user') throw unauthorized()
  return actor.userId
}

async function requireKey(db: Reader, userId: number, id: string | undefined): Promise<KeyRow> {
  const key = await keyOfUser(db, userId, pathId(id))
  if (!key) throw notFound('Key')
  return key
}

/** The SSH keys of users (contract 20, x.user_keys_*, x.users_keys_*). */
export function createKeys({ database, clock, keyPolicy, rules }: KeyNeeds) {
  const db = database.read

  /** An external user meets only acquaintances; everybody else sees every user (contract 20 R9). */
  async function requireVisible(user: UserRow | null, actor: Actor): Promise<UserRow> {
    if (!user) throw notFound('User')
    const isConfined = actor.kind === 'user' && actor.external && !actor.administrator && actor.userId !== user.id
    if (isConfined && !(await isKnownToExternal(db, user, actor.userId))) throw notFound('User')
    return user
  }

  async function requireUser(reader: Reader, id: string | undefined): Promise<UserRow> {
    const user = await userById(reader, pathId(id))
    if (!user) throw notFound('User')
    return user
  }

  async function listOf(userId: number, page: PageRequest): Promise<Page<PresentedKey>> {
    const found = await listKeysOfUser(db, userId, page)
    return { ...found, items: found.items.map(presentKey) }
  }

  async function insert(tx: Tx, userId: number, key: SshKey, wanted: WantedUserKey): Promise<KeyRow> {
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

  async function create(findUserId: (tx: Tx) => Promise<number>, wanted: WantedUserKey): Promise<PresentedKey> {
    const { max_ssh_key_lifetime: lifetimeDays } = await rules()
    const { key, problems } = readKey(wanted.key, keyPolicy)
    const others = [...expiryProblems(wanted.expires_at, lifetimeDays, clock.now()), ...titleProblems(wanted.title)]
    try {
      return await database.write(async (tx) => {
        const userId = await findUserId(tx)
        const isTaken = key !== null && (await keyByFingerprint(tx, sha256Fingerprint(key.blob))) !== null
        const all: KeyProblem[] = [...problems, ...(isTaken ? [takenFingerprint] : []), ...others]
        if (!key || all.length > 0) throw refusal(all)
        return presentKey(await insert(tx, userId, key, wanted))
      })
    } catch (error) {
      // Somebody else was faster by less than a transaction.
      if (isUniqueViolation(error, 'keys_fingerprint_sha256_unique')) throw refusal([takenFingerprint])
      throw error
    }
  }

  async function remove(
    findUserId: (tx: Tx) => Promise<number>,
    id: string | undefined,
    requireUnmodified: RequireUnmodified,
  ): Promise<void> {
    await database.write(async (tx) => {
      const key = await requireKey(tx, await findUserId(tx), id)
      requireUnmodified(key.created_at)
      if (!(await deleteKey(tx, key.id))) throw notFound('Key')
    })
  }

  return {
    /** The caller's own keys. */
    own: {
      list: (actor: Actor, page: PageRequest) => listOf(ownId(actor), page),
      /** @throws ApiError 404 */
      get: async (actor: Actor, id: string | undefined) => presentKey(await requireKey(db, ownId(actor), id)),
      /** @throws ApiError 400, form C */
      create: (actor: Actor, wanted: WantedUserKey) => create(async () => ownId(actor), wanted),
      /** @throws ApiError 404 or 412 */
      remove: (actor: Actor, id: string | undefined, requireUnmodified: RequireUnmodified) =>
        remove(async () => ownId(actor), id, requireUnmodified),
    },
    /** The keys of a user whom the path names; each throws `404 User Not Found` where there is none. */
    ofUser: {
      /** @param user an id or a user name */
      async list(user: string | undefined, actor: Actor, page: PageRequest): Promise<Page<PresentedKey>> {
        const { id } = await requireVisible(await userByIdOrUsername(db, user ?? ''), actor)
        return listOf(id, page)
      },
      /** @throws ApiError 404 */
      async get(user: string | undefined, id: string | undefined, actor: Actor): Promise<PresentedKey> {
        const visible = await requireVisible(await userById(db, pathId(user)), actor)
        return presentKey(await requireKey(db, visible.id, id))
      },
      /** @throws ApiError 400, form C */
      create: (user: string | undefined, wanted: WantedUserKey) =>
        create(async (tx) => (await requireUser(tx, user)).id, wanted),
      /** @throws ApiError 404 or 412 */
      remove: (user: string | undefined, id: string | undefined, requireUnmodified: RequireUnmodified) =>
        remove(async (tx) => (await requireUser(tx, user)).id, id, requireUnmodified),
    },
  }
}

export type Keys = ReturnType<typeof createKeys>
