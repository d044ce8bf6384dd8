import { now } from '../../infra/database/index.ts'
import type { Events, Reaction } from '../../platform/index.ts'
import { insertEvent } from './store.ts'
import type { AuditEventRow } from './tables.ts'

/** Writes an act of an administrator, or on the settings of a project or group, into the audit trail. */
export const writeAct: Reaction<Events['administrator.acted']> = async ({ clock }, tx, act) => {
  await insertEvent(tx, {
    act: act.name,
    actor_id: act.actorId,
    actor_name: act.actorName,
    credential: act.credential,
    target_kind: act.target.kind,
    target_id: act.target.id,
    detail: act.detail,
    changed: JSON.stringify(act.changed),
    created_at: now(clock),
  })
}

/** Writes the expiry of an access token into the audit trail (contract 20 R4); no account did it. */
export const writeExpiry: Reaction<Events['access_token.expired']> = async ({ clock }, tx, { tokenId, userId }) => {
  await insertEvent(tx, {
    act: 'access_tokens.expire',
    actor_id: null,
    actor_name: 'Fennec',
    credential: 'job',
    target_kind: 'user',
    target_id: userId,
    detail: String(tokenId),
    changed: '[]',
    created_at: now(clock),
  })
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
