import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, now } from '../../infra/database/index.ts'
import type { OfferedKey } from '../../infra/ssh/index.ts'
import { type KeyRow, keyByFingerprint, keyById, noteKeyUse, sha256Fingerprint } from '../keys/index.ts'
import { type Account, type AccountSettings, accountProblem, actorOf, noteUse } from '../tokens/index.ts'
import { userById } from '../users/index.ts'
import type { GitCaller } from './credentials.ts'

/** Which key somebody has proved to hold. Who that is, and what they may, is looked up for each command. */
export type SshIdentity = { keyId: number }

/** Who calls, by which name they are greeted, or why they may not come in any more. */
export type SshCaller = { caller: GitCaller; name: string } | { refused: string }

export type SshIdentityNeeds = { database: Database; clock: Clock; policy(): Promise<AccountSettings> }

/** All that git asks for; what the key's owner may do is a matter of their role. */
const keyScopes = ['read_repository', 'write_repository']

const fiveMinutesMs = 300_000

/** As the client of OpenSSH says it (contract 01, "Keys"). */
const denied = 'Permission denied (publickey).'

/** Whether the stored key is this one, to the byte: a fingerprint only finds it. */
function isSameKey(stored: KeyRow, { type, blob }: OfferedKey): boolean {
  const bytes = Buffer.from(stored.key.split(' ', 2)[1] ?? '', 'base64')
  return stored.type === type && bytes.length === blob.length && timingSafeEqual(bytes, blob)
}

/** Who comes with which key (contract 01, "Keys"; contract 22 R1, R2). */
export function sshIdentities({ database, clock, policy }: SshIdentityNeeds) {
  const db = database.read

  async function accountOf(userId: number): Promise<Account | null> {
    const user = await userById(db, userId)
    return user && { ...user, user_id: user.id }
  }

  /** The owner of a deploy key, on whose behalf it acts as long as they are active. */
  async function activeOwner({ owner_id: ownerId }: KeyRow): Promise<number | null> {
    const owner = ownerId === null ? null : await userById(db, ownerId)
    return owner?.state === 'active' ? owner.id : null
  }

  async function note(key: KeyRow): Promise<void> {
    const moment = clock.now()
    const isFresh = key.last_used_at !== null && moment.getTime() - Date.parse(key.last_used_at) < fiveMinutesMs
    if (isFresh) return
    const used = { now: now(clock), today: now(clock).slice(0, 10) }
    await database.write(async (tx) => {
      await noteKeyUse(tx, key.id, used.now)
      if (key.user_id !== null) await noteUse(tx, { ...used, tokenId: null, userId: key.user_id })
    })
  }

  return {
    /** Whose key this is, should they prove to hold it; null when it opens nothing. Records nothing. */
    async authenticate(offered: OfferedKey): Promise<SshIdentity | null> {
      const key = await keyByFingerprint(db, sha256Fingerprint(offered.blob))
      if (!key || !isSameKey(key, offered) || key.usage_type === 'signing') return null
      if (key.expires_at !== null && key.expires_at <= now(clock)) return null
      if (key.user_id === null) return { keyId: key.id }
      const account = await accountOf(key.user_id)
      return account && !accountProblem(account, await policy()) ? { keyId: key.id } : null
    },

    /** Who calls. A connection may be older than the day on which its key was taken away or its owner blocked. */
    async callerOf({ keyId }: SshIdentity): Promise<SshCaller> {
      const key = await keyById(db, keyId)
      if (!key) return { refused: denied }
      if (key.user_id === null) {
        await note(key)
        return { caller: { kind: 'deploy_key', keyId, ownerId: await activeOwner(key) }, name: 'Anonymous' }
      }
      const rules = await policy()
      const account = await accountOf(key.user_id)
      const problem = account ? accountProblem(account, rules) : denied
      if (!account || problem) return { refused: problem ?? denied }
      await note(key)
      const actor = actorOf(account, { kind: 'ssh_key', id: keyId, scopes: keyScopes }, rules)
      return { caller: { kind: 'actor', actor }, name: `@${account.username}` }
    },
  }
}
