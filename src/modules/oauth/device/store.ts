import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type OauthDeviceCodeRow, oauthDeviceCodes } from '../tables.ts'

export const { insert: insertDeviceCode, remove: deleteDeviceCode } = rows(oauthDeviceCodes)

export async function deviceCodeByDigest(db: Reader, digest: string): Promise<OauthDeviceCodeRow | null> {
  return (await db.selectFrom('oauth_device_codes').selectAll().where('digest', '=', digest).executeTakeFirst()) ?? null
}

const undecided = (db: Reader, now: string) =>
  db
    .selectFrom('oauth_device_codes')
    .select('oauth_device_codes.id')
    .where('grant_id', 'is', null)
    .where('is_denied', '=', false)
    .where('expires_at', '>', now)

/** What a device asks for that nothing was decided about, with the application. */
export async function askedByUserCode(db: Reader, userDigest: string, now: string) {
  const query = undecided(db, now)
    .innerJoin('oauth_applications', 'oauth_applications.id', 'oauth_device_codes.application_id')
    .select(['oauth_device_codes.application_id', 'oauth_device_codes.scopes', 'oauth_applications.name'])
  return (await query.where('user_digest', '=', userDigest).executeTakeFirst()) ?? null
}

type Decision = Pick<OauthDeviceCodeRow, 'grant_id' | 'is_denied' | 'authenticated_at'>

/** Records a decision. @returns false when another one came before */
export async function decideDeviceCode(tx: Tx, id: number, now: string, decision: Decision): Promise<boolean> {
  const query = tx.updateTable('oauth_device_codes').set(decision).where('id', '=', id)
  const updated = await query.where('id', 'in', undecided(tx, now)).executeTakeFirst()
  return updated.numUpdatedRows > 0n
}

/** Records that a device has asked. */
export async function recordPoll(tx: Tx, id: number, polled_at: string, interval_seconds: number): Promise<void> {
  await tx.updateTable('oauth_device_codes').set({ polled_at, interval_seconds }).where('id', '=', id).execute()
}

/** Deletes codes that expired before. */
export async function deleteDeviceCodesBefore(tx: Tx, moment: string): Promise<void> {
  await tx.deleteFrom('oauth_device_codes').where('expires_at', '<', moment).execute()
}
