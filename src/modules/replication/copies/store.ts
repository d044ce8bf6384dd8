import { sql } from 'kysely'
import { isAnyOf, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { ReplicaPartRow } from '../tables.ts'

/** Replaces what a copied container repository consists of. */
export async function replaceParts(
  tx: Tx,
  replicaId: number,
  parts: readonly Omit<ReplicaPartRow, 'replica_id'>[],
): Promise<void> {
  await tx.deleteFrom('geo_replica_parts').where('replica_id', '=', replicaId).execute()
  for (let at = 0; at < parts.length; at += 200) {
    const values = parts.slice(at, at + 200).map((part) => ({ ...part, replica_id: replicaId }))
    await tx.insertInto('geo_replica_parts').values(values).execute()
  }
}

/** The parts of a copy, in byte order of their names. */
export async function partsOf(db: Reader, replicaId: number): Promise<ReplicaPartRow[]> {
  return db
    .selectFrom('geo_replica_parts')
    .selectAll()
    .where('replica_id', '=', replicaId)
    .orderBy('kind')
    .orderBy('name')
    .execute()
}

/** Those of the digests that a copy consists of. */
export async function usedDigests(db: Reader, digests: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('geo_replica_parts')
    .select('digest')
    .where(isAnyOf(db, sql`digest`, digests))
    .where('kind', '<>', 'tag')
    .distinct()
    .execute()
  return new Set(rows.map(({ digest }) => digest))
}

/** A part of a copied container repository, which is named by its digest, or by the tag. */
export async function partOf(
  db: Reader,
  replicaId: number,
  kind: ReplicaPartRow['kind'],
  name: string,
): Promise<ReplicaPartRow | null> {
  const row = await db
    .selectFrom('geo_replica_parts')
    .selectAll()
    .where('replica_id', '=', replicaId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst()
  return row ?? null
}

/** The id at the primary of the copied container repository with a path; null when there is none. */
export async function copiedRepositoryAt(db: Reader, path: string): Promise<number | null> {
  const row = await db
    .selectFrom('geo_replicas')
    .select('replicable_id')
    .where('type', '=', 'container_repositories')
    .where('location', '=', path)
    .executeTakeFirst()
  return row?.replicable_id ?? null
}
