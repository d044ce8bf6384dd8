import { now, type Tx } from '../../infra/database/index.ts'
import type { ActTarget, Events, Reaction } from '../../platform/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { projectById } from '../projects/index.ts'
import { userById } from '../users/index.ts'
import { insertEvent } from './store.ts'
import type { AuditEventRow } from './tables.ts'

/** The path of what was acted on, at this time. */
async function pathOf(tx: Tx, { kind, id }: ActTarget): Promise<string | null> {
  if (id === null) return null
  if (kind === 'user') return (await userById(tx, id))?.username ?? null
  if (kind === 'project') return (await projectById(tx, id))?.full_path ?? null
  return kind === 'group' ? ((await namespaceById(tx, id))?.full_path ?? null) : null
}

type Act = Omit<Events['administrator.acted'], 'changed'> & { changed?: readonly string[] }

const write: Reaction<Act> = async ({ clock }, tx, { target, changed = [], told, ...act }) => {
  await insertEvent(tx, {
    act: act.name,
    actor_id: act.actorId,
    author_id: act.actorId,
    actor_name: act.actorName,
    credential: act.credential,
    target_kind: target.kind,
    target_id: target.id,
    target_path: await pathOf(tx, target),
    detail: act.detail,
    changed: JSON.stringify(changed),
    told: JSON.stringify(told),
    ip_address: act.ip,
    created_at: now(clock),
  })
}

/** Writes an act of an administrator, or on the settings of a project or group, into the audit trail. */
export const writeAct: Reaction<Events['administrator.acted']> = write

/** The acts of no account. */
const byNone = { actorId: null, detail: null, told: {}, ip: null }

/** Writes the expiry of an access token into the audit trail (contract 20 R4); no account did it. */
export const writeExpiry: Reaction<Events['access_token.expired']> = (platform, tx, { tokenId, userId }) =>
  write(platform, tx, {
    ...byNone,
    name: 'access_tokens.expire',
    actorName: 'Fennec',
    credential: 'job',
    target: { kind: 'user', id: userId },
    detail: String(tokenId),
  })

/** Writes a sign-in by password into the audit trail (contract 26 R5). */
export const writeSignIn: Reaction<Events['user.signed_in']> = async (platform, tx, { userId, ip, with: by }) => {
  const user = await userById(tx, userId)
  if (!user) return
  const author = { actorId: userId, actorName: user.username, credential: 'password' }
  const target = { kind: 'user', id: userId } as const
  await write(platform, tx, { ...byNone, ...author, name: 'users.sign_in', target, ip, told: { with: by } })
}

/** Writes a wrong password for an account into the audit trail (contract 26 R5); who sent it is not known. */
export const writeFailedSignIn: Reaction<Events['user.sign_in_failed']> = async (platform, tx, { userId, ip }) => {
  const user = await userById(tx, userId)
  if (!user) return
  const author = { actorName: user.username, credential: 'password' }
  const target = { kind: 'user', id: userId } as const
  await write(platform, tx, { ...byNone, ...author, name: 'users.fail_sign_in', target, ip })
}

/** An act as one line of JSON. */
export function lineOf({ id, created_at, actor_name, credential, act, ...row }: AuditEventRow): string {
  const target = row.target_id === null ? row.target_kind : `${row.target_kind} ${row.target_id}`
  const detail = row.detail === null ? {} : { detail: row.detail }
  return JSON.stringify({
    id,
    at: created_at,
    by: actor_name,
    credential,
    act,
    target,
    ...detail,
    changed: row.changed,
  })
}
