import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { subtreeOf } from './namespaces.ts'

/**
 * The marks of a scheduled deletion (contract 21 R6). What was marked itself has an `original_path`; what lies below it shows
 * the same day without one. Of several marked ancestors the earliest counts.
 */
const earliestMark = (namespaceId: string) => sql<string | null>`(
  select min(marked.marked_for_deletion_on) from namespace_ancestors a
  join namespaces marked on marked.id = a.ancestor_id and marked.original_path is not null
  where a.namespace_id = ${sql.ref(namespaceId)})`

/** The day on which a namespace, or something above it, was marked; null when nothing was. */
export async function inheritedMark(db: Reader, namespaceId: number): Promise<string | null> {
  const row = await db
    .selectFrom('namespaces')
    .select(earliestMark('namespaces.id').as('day'))
    .where('id', '=', namespaceId)
    .executeTakeFirst()
  return row?.day ?? null
}

/** Brings the marks of everything below a namespace in line with those of its ancestors, the namespace included. */
export async function refreshMarks(tx: Tx, id: number): Promise<void> {
  const below = subtreeOf(id)
  await sql`update namespaces set marked_for_deletion_on = ${earliestMark('namespaces.id')}
    where id in ${below} and original_path is null`.execute(tx)
  await sql`update projects set marked_for_deletion_on = ${earliestMark('projects.namespace_id')}
    where namespace_id in ${below} and original_path is null`.execute(tx)
}
