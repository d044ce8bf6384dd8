import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { subtreeOf } from './namespaces.ts'

/**
 * The earliest deletion day among the marked ancestors (contract 21 R6). A namespace that was marked itself has an
 * `original_path`; everything below it inherits the day and has none.
 */
const earliestMark = (namespaceId: string) => sql<string | null>`(
  select min(marked.marked_for_deletion_on) from namespace_ancestors a
  join namespaces marked on marked.id = a.ancestor_id and marked.original_path is not null
  where a.namespace_id = ${sql.ref(namespaceId)})`

/** The day on which a namespace or an ancestor was marked for deletion; null when none was. */
export async function inheritedMark(db: Reader, namespaceId: number): Promise<string | null> {
  const row = await db
    .selectFrom('namespaces')
    .select(earliestMark('namespaces.id').as('day'))
    .where('id', '=', namespaceId)
    .executeTakeFirst()
  return row?.day ?? null
}

/** Recomputes the inherited marks of everything below a namespace. */
export async function refreshMarks(tx: Tx, id: number): Promise<void> {
  const below = subtreeOf(id)
  await sql`update namespaces set marked_for_deletion_on = ${earliestMark('namespaces.id')}
    where id in ${below} and original_path is null`.execute(tx)
  await sql`update projects set marked_for_deletion_on = ${earliestMark('projects.namespace_id')}
    where namespace_id in ${below} and original_path is null`.execute(tx)
}
