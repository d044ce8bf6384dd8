import { type Insertable, sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { DeployTokenRow, DeployTokensTable } from '../tables.ts'

export async function deployTokenById(db: Reader, id: number): Promise<DeployTokenRow | null> {
  return (await db.selectFrom('deploy_tokens').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function deployTokenByDigest(db: Reader, digest: string): Promise<DeployTokenRow | null> {
  return (await db.selectFrom('deploy_tokens').selectAll().where('digest', '=', digest).executeTakeFirst()) ?? null
}

/** Makes a deploy token; an empty user name becomes the one that is derived from the id. */
export async function insertDeployToken(tx: Tx, token: Insertable<DeployTokensTable>): Promise<DeployTokenRow> {
  const row = await tx.insertInto('deploy_tokens').values(token).returningAll().executeTakeFirstOrThrow()
  if (row.username !== '') return row
  return tx
    .updateTable('deploy_tokens')
    .set({ username: sql<string>`'gitlab+deploy-token-' || id` })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Deletes a deploy token; false when there was none. */
export async function deleteDeployToken(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('deploy_tokens').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}
