import { sql } from 'kysely'
import type { Tx } from '../../../infra/database/index.ts'

/** The distance of rows whose order was never changed, so that others fit between. */
const distance = 1024

/** Where a row goes: directly before or after another one of the same epic. */
type Side = 'before' | 'after'

/**
 * The manual order of what belongs to an epic: its issues, and its child epics.
 * @param table that has `relative_position`
 * @param parent its column with the epic
 */
export function manualOrder(table: 'epic_issues' | 'epics', parent: 'epic_id' | 'parent_id') {
  const [rows, epic] = [sql.table(table), sql.ref(parent)]

  async function read(tx: Tx, query: ReturnType<typeof sql<{ position: number | null }>>): Promise<number | null> {
    const { rows: found } = await query.execute(tx)
    const position = found[0]?.position ?? null
    return position === null ? null : Number(position)
  }

  /** The position behind all others of an epic. */
  const last = async (tx: Tx, epicId: number): Promise<number> =>
    ((await read(tx, sql`select max(relative_position) as position from ${rows} where ${epic} = ${epicId}`)) ?? 0) +
    distance

  const positionOf = (tx: Tx, epicId: number, id: number) =>
    read(tx, sql`select relative_position as position from ${rows} where ${epic} = ${epicId} and id = ${id}`)

  /** The position next to one, without the moved row; null at the end. */
  const neighbour = (tx: Tx, epicId: number, here: number, side: Side, moved: number) =>
    side === 'before'
      ? read(
          tx,
          sql`select max(relative_position) as position from ${rows}
            where ${epic} = ${epicId} and id <> ${moved} and relative_position < ${here}`,
        )
      : read(
          tx,
          sql`select min(relative_position) as position from ${rows}
            where ${epic} = ${epicId} and id <> ${moved} and relative_position > ${here}`,
        )

  /** Gives the rows of an epic positions with distances again, in their order. */
  async function spread(tx: Tx, epicId: number): Promise<void> {
    await sql`update ${rows} set relative_position = ranked.place * ${sql.lit(distance)}
      from (select id as ranked_id, row_number() over (order by relative_position, id) as place
        from ${rows} where ${epic} = ${epicId}) ranked
      where ${sql.ref(`${table}.id`)} = ranked.ranked_id`.execute(tx)
  }

  /** The position directly beside one; null when there is no number left between, or several rows have this one. */
  async function positionBeside(tx: Tx, epicId: number, here: number, side: Side, moved: number) {
    const { rows: same } = await sql`select 1 from ${rows}
      where ${epic} = ${epicId} and id <> ${moved} and relative_position = ${here} limit 2`.execute(tx)
    if (same.length > 1) return null
    const other = await neighbour(tx, epicId, here, side, moved)
    if (other === null) return side === 'before' ? here - distance : here + distance
    const between = Math.floor((here + other) / 2)
    return between > Math.min(here, other) ? between : null
  }

  /** Moves a row of an epic directly before or after another one of it. @returns false when that one is not there */
  async function moveBeside(tx: Tx, moved: { id: number; epicId: number }, targetId: number, side: Side) {
    for (const isLast of [false, true]) {
      const here = await positionOf(tx, moved.epicId, targetId)
      if (here === null) return false
      const position = await positionBeside(tx, moved.epicId, here, side, moved.id)
      if (position !== null) {
        await sql`update ${rows} set relative_position = ${position} where id = ${moved.id}`.execute(tx)
        return true
      }
      if (!isLast) await spread(tx, moved.epicId)
    }
    return false
  }

  return { last, moveBeside }
}
