import { timingSafeEqual } from 'node:crypto'
import { dayOf } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { OfferedKey } from '../../../infra/ssh/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type KeyRow, keyByFingerprint, keyById, noteKeyUse, sha256Fingerprint } from '../../keys/index.ts'
import { type Account, accountProblem, actorOf } from '../../tokens/index.ts'
import { noteActivity, userById } from '../../users/index.ts'
import type { GitCaller } from '../access/callers.ts'

/** The key of an authenticated client. Its owner and their rights are loaded for each command. */
export type SshIdentity = { keyId: number }

/** The caller and the name used to greet them, or why the key is refused. */
type SshCaller = { caller: GitCaller; name: string } | { refused: string }

/** The scopes of a user's key; the role of its owner limits it further. */
const keyScopes = ['read_repository', 'write_repository']

const usePrecisionMs = 300_000

/** The message of OpenSSH's client (contract 01, "Keys"). */
const denied = 'Permission denied (publickey).'

/** Compares a stored key with an offered one byte by byte; a fingerprint is only an index. */
function isSameKey(stored: KeyRow, { type, blob }: OfferedKey): boolean {
  const bytes = Buffer.from(stored.key.split(' ', 2)[1] ?? '', 'base64')
  return stored.type === type && bytes.length === blob.length && timingSafeEqual(bytes, blob)
}

async function accountOf({ database }: Platform, userId: number): Promise<Account | null> {
  const user = await userById(database.read, userId)
  return user && { ...user, user_id: user.id }
}

/** The owner of a deploy key, on whose behalf it acts while they are active. */
async function activeOwner({ database }: Platform, { owner_id: ownerId }: KeyRow): Promise<number | null> {
  const owner = ownerId === null ? null : await userById(database.read, ownerId)
  return owner?.state === 'active' ? owner.id : null
}

/** Records the use of a key, at most every five minutes. */
async function recordUse({ clock, database }: Platform, key: KeyRow): Promise<void> {
  const moment = clock.now()
  const usedAt = key.last_used_at
  if (usedAt !== null && Math.abs(moment.getTime() - Date.parse(usedAt)) < usePrecisionMs) return
  await database.write(async (tx) => {
    await noteKeyUse(tx, key.id, now(clock))
    if (key.user_id !== null) await noteActivity(tx, key.user_id, dayOf(moment))
  })
}

/** Whether a key opens git now (contract 01, "Keys"). */
function isOpening({ clock }: Platform, key: KeyRow): boolean {
  return key.usage_type !== 'signing' && (key.expires_at === null || key.expires_at > now(clock))
}

/**
 * Finds an offered key (contract 01, "Keys"; contract 22 R1, R2). Writes nothing, because the client has not authenticated yet.
 * @returns null when the key opens nothing
 */
export async function identifyKey(platform: Platform, offered: OfferedKey): Promise<SshIdentity | null> {
  const key = await keyByFingerprint(platform.database.read, sha256Fingerprint(offered.blob))
  if (!key || !isSameKey(key, offered) || !isOpening(platform, key)) return null
  if (key.user_id === null) return { keyId: key.id }
  const account = await accountOf(platform, key.user_id)
  return account && !accountProblem(account, await platform.settings.current()) ? { keyId: key.id } : null
}

async function callerOf(platform: Platform, key: KeyRow): Promise<SshCaller> {
  const { id: keyId } = key
  if (key.user_id === null) {
    return { caller: { kind: 'deploy_key', keyId, ownerId: await activeOwner(platform, key) }, name: 'Anonymous' }
  }
  const settings = await platform.settings.current()
  const account = await accountOf(platform, key.user_id)
  const problem = account ? accountProblem(account, settings) : denied
  if (!account || problem) return { refused: problem ?? denied }
  const actor = actorOf(platform, account, { kind: 'ssh_key', id: keyId, scopes: keyScopes }, settings)
  return { caller: { kind: 'actor', actor }, name: `@${account.username}` }
}

/** Loads the caller of a command: a connection may outlive the key or its owner's access. */
export async function sshCaller(platform: Platform, { keyId }: SshIdentity): Promise<SshCaller> {
  const key = await keyById(platform.database.read, keyId)
  if (!key || !isOpening(platform, key)) return { refused: denied }
  const found = await callerOf(platform, key)
  if ('caller' in found) await recordUse(platform, key)
  return found
}

/** The caller of a key that was accepted before; null when the key or the access of its owner has ended. Records no use. */
export async function currentCallerOfKey(platform: Platform, keyId: number): Promise<GitCaller | null> {
  const key = await keyById(platform.database.read, keyId)
  if (!key || !isOpening(platform, key)) return null
  const found = await callerOf(platform, key)
  return 'caller' in found ? found.caller : null
}
