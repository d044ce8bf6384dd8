import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { locked, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { geoNodes, type NodeChanges, type NodeRow } from '../tables.ts'

export const { byId: nodeById, insert: insertNode } = rows(geoNodes)

/** Names are compared without case. */
export const nameKey = (name: string) => name.toLowerCase()

/** A page of all nodes, by id. */
export function pageOfNodes(db: Reader, page: PageRequest): Promise<Page<NodeRow>> {
  return pageOfRows(db, db.selectFrom('geo_nodes').selectAll().orderBy('id'), page)
}

/** A page of the nodes that have a status: those that have reported, and this one. */
export function pageOfReporting(db: Reader, ownId: number | null, page: PageRequest): Promise<Page<NodeRow>> {
  const query = db
    .selectFrom('geo_nodes')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('id', '=', ownId ?? 0),
        eb('id', 'in', (from) => from.selectFrom('geo_node_statuses').select('node_id')),
      ]),
    )
  return pageOfRows(db, query.orderBy('id'), page)
}

/** Like `nodeById`. The row cannot be changed by others until the transaction ends. */
export async function holdNode(tx: Tx, id: number): Promise<NodeRow | null> {
  const query = tx.selectFrom('geo_nodes').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

export async function nodeByNameKey(db: Reader, key: string): Promise<NodeRow | null> {
  return (await db.selectFrom('geo_nodes').selectAll().where('name_key', '=', key).executeTakeFirst()) ?? null
}

export async function nodesByNameKeys(db: Reader, keys: readonly string[]): Promise<NodeRow[]> {
  return db
    .selectFrom('geo_nodes')
    .selectAll()
    .where(within(db, 'name_key', keys))
    .orderBy('id')
    .execute()
}

export async function nodeByAccessKey(db: Reader, accessKey: string): Promise<NodeRow | null> {
  return (await db.selectFrom('geo_nodes').selectAll().where('access_key', '=', accessKey).executeTakeFirst()) ?? null
}

export async function primaryNode(db: Reader): Promise<NodeRow | null> {
  return (await db.selectFrom('geo_nodes').selectAll().where('is_primary', '=', true).executeTakeFirst()) ?? null
}

export async function updateNode(tx: Tx, id: number, changes: NodeChanges): Promise<NodeRow> {
  return tx.updateTable('geo_nodes').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Deletes a node with its status and its groups. @returns false when there is none */
export async function deleteNodeRow(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('geo_nodes').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}

/** The groups that nodes are limited to, ascending, by node. */
export async function namespaceIdsOf(db: Reader, nodeIds: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('geo_node_namespaces')
    .selectAll()
    .where(within(db, 'node_id', nodeIds))
    .orderBy('namespace_id')
    .execute()
  const grouped = Map.groupBy(rows, ({ node_id }) => node_id)
  return new Map([...grouped].map(([id, found]) => [id, found.map(({ namespace_id }) => namespace_id)]))
}

/** Replaces the groups that a node is limited to. @returns false when one of them does not exist */
export async function setNamespaces(tx: Tx, nodeId: number, ids: readonly number[]): Promise<boolean> {
  const wanted = [...new Set(ids)]
  await tx.deleteFrom('geo_node_namespaces').where('node_id', '=', nodeId).execute()
  if (wanted.length === 0) return true
  const found = await tx
    .selectFrom('namespaces')
    .select('id')
    .where(within(tx, 'namespaces.id', wanted))
    .where('pending_delete', '=', false)
    .execute()
  if (found.length < wanted.length) return false
  const values = found.map(({ id }) => ({ node_id: nodeId, namespace_id: id }))
  await tx.insertInto('geo_node_namespaces').values(values).execute()
  return true
}
