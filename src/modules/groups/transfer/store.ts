import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import { subtreeOf, type Visibility } from '../../namespaces/index.ts'
import { levelsAbove } from '../core/visibility.ts'

/** The number of levels below a group. */
export async function heightOf(db: Reader, id: number): Promise<number> {
  const row = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where('ancestor_id', '=', id)
    .executeTakeFirst()
  return row?.depth ?? 0
}

/** Whether a group is another one or lies below it. */
export async function isBelow(db: Reader, id: number, ancestorId: number): Promise<boolean> {
  const query = db
    .selectFrom('namespace_ancestors')
    .select('depth')
    .where('namespace_id', '=', id)
    .where('ancestor_id', '=', ancestorId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Lowers the visibility of everything in a subtree to at most this. */
export async function capVisibility(tx: Tx, id: number, visibility: Visibility): Promise<void> {
  const above = levelsAbove(visibility)
  if (above.length === 0) return
  const below = subtreeOf(id)
  await tx
    .updateTable('namespaces')
    .set({ visibility })
    .where('visibility', 'in', above)
    .where(sql<boolean>`id in ${below}`)
    .execute()
  await tx
    .updateTable('projects')
    .set({ visibility })
    .where('visibility', 'in', above)
    .where(sql<boolean>`namespace_id in ${below}`)
    .execute()
}
