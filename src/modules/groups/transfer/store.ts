import type { Reader } from '../../../infra/database/index.ts'

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
