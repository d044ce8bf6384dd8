import { type Insertable, type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tables, type Tx } from '../../../infra/database/index.ts'
import { memberColumnOf } from '../../access/index.ts'
import type { TokenResource } from '../resource/store.ts'
import { type DeployTokenRow, type DeployTokensTable, deployTokens } from '../tables.ts'

export const { byId: deployTokenById } = rows(deployTokens)

export async function deployTokenByDigest(db: Reader, digest: string): Promise<DeployTokenRow | null> {
  return (await db.selectFrom('deploy_tokens').selectAll().where('digest', '=', digest).executeTakeFirst()) ?? null
}

/** Stores a deploy token. An empty username becomes one that is derived from the id. */
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

/** @returns false when there was no such token */
export async function removeDeployToken(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('deploy_tokens').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}

/** A page of deploy tokens, ordered by id; those of the whole instance without a project or group. */
export async function pageOfDeployTokens(
  db: Reader,
  resource: TokenResource | null,
  activeAt: string | undefined,
  page: PageRequest,
): Promise<Page<DeployTokenRow>> {
  type DeployQuery<Row> = SelectQueryBuilder<Tables, 'deploy_tokens', Row>
  let query: DeployQuery<object> = db.selectFrom('deploy_tokens')
  if (resource) query = query.where(memberColumnOf(resource), '=', resource.id)
  if (activeAt !== undefined) {
    const isActive = sql<boolean>`(expires_at is null or expires_at > ${activeAt})`
    query = query.where('revoked', '=', false).where(isActive)
  }
  return pageOfRows(db, query.orderBy('id').selectAll() as DeployQuery<DeployTokenRow>, page)
}
