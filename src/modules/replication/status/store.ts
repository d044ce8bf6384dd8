import { jsonText, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { NodeRow, StatusRow } from '../tables.ts'

/** The last reports of nodes, by node. */
export async function statusesOf(db: Reader, nodeIds: readonly number[]): Promise<Map<number, StatusRow>> {
  const rows = await db
    .selectFrom('geo_node_statuses')
    .selectAll()
    .where(within(db, 'node_id', nodeIds))
    .execute()
  return new Map(rows.map((row) => [row.node_id, row]))
}

/** The last reports of the secondaries that have reported, with their names. */
export function reportsByName(db: Reader): Promise<Pick<StatusRow & NodeRow, 'name' | 'status' | 'reported_at'>[]> {
  return db
    .selectFrom('geo_node_statuses as s')
    .innerJoin('geo_nodes as n', 'n.id', 's.node_id')
    .select(['n.name', 's.status', 's.reported_at'])
    .where('n.is_primary', '=', false)
    .execute()
}

/** Replaces the last report of a node. */
export async function storeStatus(tx: Tx, nodeId: number, status: Record<string, unknown>, now: string): Promise<void> {
  await tx
    .insertInto('geo_node_statuses')
    .values({ node_id: nodeId, status: jsonText(status), reported_at: now })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ status: jsonText(status), reported_at: now }))
    .execute()
}

/** Secondaries, and those of them that have reported since a time. */
export async function countSecondaries(db: Reader, since: string): Promise<{ all: number; seen: number }> {
  const row = await db
    .selectFrom('geo_nodes as n')
    .leftJoin('geo_node_statuses as s', (join) => join.onRef('s.node_id', '=', 'n.id').on('s.reported_at', '>=', since))
    .select((eb) => [eb.fn.count<number>('n.id').as('all'), eb.fn.count<number>('s.node_id').as('seen')])
    .where('n.is_primary', '=', false)
    .executeTakeFirstOrThrow()
  return { all: Number(row.all), seen: Number(row.seen) }
}

/** The groups that nodes are limited to, by node. */
export async function namespacesOf(db: Reader, nodeIds: readonly number[]): Promise<Map<number, NamespaceRow[]>> {
  const rows = await db
    .selectFrom('geo_node_namespaces as g')
    .innerJoin('namespaces as n', 'n.id', 'g.namespace_id')
    .selectAll('n')
    .select('g.node_id')
    .where(within(db, 'g.node_id', nodeIds))
    .orderBy('n.id')
    .execute()
  const grouped = Map.groupBy(rows, ({ node_id }) => node_id)
  return new Map([...grouped].map(([id, found]) => [id, found.map(({ node_id: _, ...namespace }) => namespace)]))
}
