import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { ReplicaRow } from '../tables.ts'
import type { ReplicableType } from '../types.ts'

/** Copies of these types that are somewhere, by id. @param afterId the last id of the previous portion */
export async function copiesAfter(
  db: Reader,
  types: readonly ReplicableType[],
  afterId: number,
  limit: number,
): Promise<ReplicaRow[]> {
  return db
    .selectFrom('geo_replicas')
    .selectAll()
    .where(within(db, 'type', types))
    .where('location', 'is not', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Those of the ids that have rows. */
export async function idsIn(
  db: Reader,
  table:
    | 'repositories'
    | 'uploads'
    | 'lfs_objects'
    | 'package_blobs'
    | 'ci_secure_files'
    | 'pages_deployments'
    | 'terraform_state_versions',
  ids: readonly number[],
): Promise<Set<number>> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where(within(db, 'id', ids))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** When a secondary has last reported its status. */
export async function lastReportAt(db: Reader): Promise<string | null> {
  const query = db.selectFrom('geo_node_statuses').select((eb) => eb.fn.max('reported_at').as('at'))
  return (await query.executeTakeFirst())?.at ?? null
}

/** Deletes the last report of a node. */
export async function deleteReport(tx: Tx, nodeId: number): Promise<void> {
  await tx.deleteFrom('geo_node_statuses').where('node_id', '=', nodeId).execute()
}
