import { timingSafeEqual } from 'node:crypto'
import { dayOf } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { OfferedKey, SshCertificate } from '../../../infra/ssh/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type KeyRow, keyByFingerprint, keyById, noteKeyUse, sha256Fingerprint } from '../../keys/index.ts'
import { certificateOwner, type HeldCertificate, ownerOfHeld } from '../../ssh-certificates/index.ts'
import { type Account, accountProblem, actorOf } from '../../tokens/index.ts'
import { noteActivity, type UserRow, userById } from '../../users/index.ts'
import type { GitCaller } from '../access/callers.ts'

/** The key or the certificate of an authenticated client. Its owner and their rights are loaded for each command. */
export type SshIdentity = { keyId: number } | { certificate: HeldCertificate }

/** The caller and the name used to greet them, or why the key is refused. */
type SshCaller = { caller: GitCaller; name: string } | { refused: string }

/** The scopes of a user's key or certificate; the role of its owner limits it further. */
const keyScopes = ['read_repository', 'write_repository']

const usePrecisionMs = 300_000

/** The message of OpenSSH's client (contract 01, "Keys"). */
const denied = 'Permission denied (publickey).'

/** Compares a stored key with an offered one byte by byte; a fingerprint is only an index. */
function isSameKey(stored: KeyRow, { type, blob }: OfferedKey): boolean {
  const bytes = Buffer.from(stored.key.split(' ', 2)[1] ?? '', 'base64')
  return stored.type === type && bytes.length === blob.length && timingSafeEqual(bytes, blob)
}

const asAccount = (user: UserRow): Account => ({ ...user, user_id: user.id })

async function accountOf({ database }: Platform, userId: number): Promise<Account | null> {
  const user = await userById(database.read, userId)
  return user && asAccount(user)
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

/** Records that a user was active today. */
async function recordActivity(
  { clock, database }: Platform,
  { id, last_activity_on: lastDay }: UserRow,
): Promise<void> {
  const today = dayOf(clock.now())
  if (lastDay !== today) await database.write((tx) => noteActivity(tx, id, today))
}

/** Whether a key opens git now (contract 01, "Keys"). */
function isOpening({ clock }: Platform, key: KeyRow): boolean {
  return key.usage_type !== 'signing' && (key.expires_at === null || key.expires_at > now(clock))
}

/** Finds whom an offered certificate names (contract 26.12). @returns null when it opens nothing */
async function identifyCertificate(platform: Platform, offered: SshCertificate): Promise<SshIdentity | null> {
  const owner = await certificateOwner(platform, offered)
  const isRefused = !owner || accountProblem(asAccount(owner.user), await platform.settings.current()) !== null
  return isRefused ? null : { certificate: owner.held }
}

/**
 * Finds an offered key (contract 01, "Keys"; contract 22 R1, R2). Writes nothing, because the client has not authenticated yet.
 * @returns null when the key opens nothing
 */
export async function identifyKey(platform: Platform, offered: OfferedKey): Promise<SshIdentity | null> {
  if (offered.certificate) return identifyCertificate(platform, offered.certificate)
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

async function callerOfCertificate(platform: Platform, held: HeldCertificate): Promise<SshCaller & { user?: UserRow }> {
  const owner = await ownerOfHeld(platform, held)
  if (!owner) return { refused: denied }
  const { user, groupId } = owner
  const settings = await platform.settings.current()
  const problem = accountProblem(asAccount(user), settings)
  if (problem) return { refused: problem }
  const credential = { kind: 'ssh_certificate', id: held.authorityId, scopes: keyScopes } as const
  const actor = actorOf(platform, asAccount(user), credential, settings)
  return { caller: { kind: 'actor', actor, certificate: { held, groupId } }, name: `@${user.username}`, user }
}

async function callerOfKey(platform: Platform, keyId: number): Promise<SshCaller & { key?: KeyRow }> {
  const key = await keyById(platform.database.read, keyId)
  return key && isOpening(platform, key) ? { ...(await callerOf(platform, key)), key } : { refused: denied }
}

/** Loads the caller of a command: a connection may outlive the key or certificate, or its owner's access. */
export async function sshCaller(platform: Platform, identity: SshIdentity): Promise<SshCaller> {
  if ('certificate' in identity) {
    const { user, ...found } = await callerOfCertificate(platform, identity.certificate)
    if (user) await recordActivity(platform, user)
    return found
  }
  const { key, ...found } = await callerOfKey(platform, identity.keyId)
  if (key && 'caller' in found) await recordUse(platform, key)
  return found
}

/** The caller of a key or certificate that was accepted before; null when it or the access of its owner has ended. Records no use. */
export async function currentSshCaller(platform: Platform, identity: SshIdentity): Promise<GitCaller | null> {
  const found =
    'certificate' in identity
      ? await callerOfCertificate(platform, identity.certificate)
      : await callerOfKey(platform, identity.keyId)
  return 'caller' in found ? found.caller : null
}
