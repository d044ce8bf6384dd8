import { type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { pagesCodes, pagesSessions } from '../tables.ts'

export const { insert: insertCode } = rows(pagesCodes)
export const { insert: insertPagesSession } = rows(pagesSessions)

/** Takes a code of a host, which then exists no more. */
export async function takeCode(tx: Tx, digest: string, hostname: string) {
  const query = tx.deleteFrom('pages_codes').where('digest', '=', digest).where('hostname', '=', hostname)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

export async function pagesSessionAt(db: Reader, digest: string, hostname: string) {
  const query = db.selectFrom('pages_sessions').selectAll().where('digest', '=', digest)
  return (await query.where('hostname', '=', hostname).executeTakeFirst()) ?? null
}

export async function deleteExpired(tx: Tx, moment: string): Promise<void> {
  for (const table of ['pages_codes', 'pages_sessions'] as const) {
    await tx.deleteFrom(table).where('expires_at', '<=', moment).execute()
  }
}
