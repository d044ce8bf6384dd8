import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'

/** Exactly the expression of the indexes. */
const position = sql<number>`coalesce(relative_position, id * 1024.0)`

/** How far apart new issues are. */
const distance = 1024

/** The position of an issue in the manual order. */
export async function positionOf(db: Reader, id: number): Promise<number | null> {
  const query = sql<{ position: number }>`select ${position} as position from issues where id = ${id}`
  const [row] = (await db.executeQuery(query.compile(db as never))).rows
  return row ? Number(row.position) : null
}

/** The nearest position before or after one, of any issue but one. */
export async function neighbourOf(
  db: Reader,
  from: number,
  { towards, exceptId }: { towards: 'before' | 'after'; exceptId: number },
): Promise<number> {
  const [beyond, direction] = towards === 'after' ? ['>', 'asc'] : ['<', 'desc']
  const query = sql<{ position: number }>`select ${position} as position from issues
    where ${position} ${sql.raw(beyond)} ${from} and id <> ${exceptId}
    order by ${position} ${sql.raw(direction)} limit 1`
  const [row] = (await db.executeQuery(query.compile(db as never))).rows
  if (row) return Number(row.position)
  if (towards === 'before') return from - distance
  const last = sql<{ id: number | null }>`select max(id) as id from issues`
  const { rows } = await db.executeQuery(last.compile(db as never))
  return Math.max(from, Number(rows[0]?.id ?? 0) * distance) + distance
}

/** The namespace at the top of the tree of another one. */
export async function rootOf(db: Reader, namespaceId: number): Promise<number> {
  const row = await db
    .selectFrom('namespace_ancestors')
    .select('ancestor_id')
    .where('namespace_id', '=', namespaceId)
    .orderBy('depth', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.ancestor_id ?? namespaceId
}

/** Moves all issues of a tree that are at a position or before it, to make room behind it. New issues stay the last ones. */
export async function makeRoom(tx: Tx, rootId: number, behind: number): Promise<void> {
  await sql`update issues set relative_position = ${position} - ${sql.lit(distance)}
    where ${position} <= ${behind} and project_id in (
      select projects.id from projects join namespace_ancestors on namespace_ancestors.namespace_id = projects.namespace_id
      where namespace_ancestors.ancestor_id = ${rootId})`.execute(tx)
}

/** Places an issue by hand. */
export async function place(tx: Tx, id: number, at: number): Promise<void> {
  await tx.updateTable('issues').set({ relative_position: at }).where('id', '=', id).execute()
}
