import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { MoveKind } from './kinds.ts'
import type { MoveRow, MoveState } from './tables.ts'

/** The tables have the same columns. */
const tableOf = ({ table }: Pick<MoveKind, 'table'>) => table as 'project_storage_moves'

/** A page of the moves of a kind, or of one container, newest first. */
export async function pageOfMoves(
  db: Reader,
  kind: MoveKind,
  containerId: number | null,
  page: PageRequest,
): Promise<Page<MoveRow>> {
  const all = db.selectFrom(tableOf(kind)).selectAll()
  const query = containerId === null ? all : all.where('container_id', '=', containerId)
  return pageOfRows(db, query.orderBy('created_at', 'desc').orderBy('id', 'desc'), page)
}

export async function moveById(db: Reader, kind: MoveKind, id: number): Promise<MoveRow | null> {
  return (await db.selectFrom(tableOf(kind)).selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Inserts a scheduled move. @throws UniqueViolation while another move of the container is scheduled or running */
export async function insertMove(
  tx: Tx,
  kind: MoveKind,
  move: Pick<MoveRow, 'container_id' | 'source_storage_name' | 'destination_storage_name' | 'created_at'>,
): Promise<MoveRow> {
  const scheduled = { ...move, state: 'scheduled' as const }
  return tx.insertInto(tableOf(kind)).values(scheduled).returningAll().executeTakeFirstOrThrow()
}

/** Changes the state of a move. @returns false when it is in none of the states `from`, or was deleted */
export async function changeState(
  tx: Tx,
  kind: MoveKind,
  id: number,
  from: readonly MoveState[],
  to: MoveState,
): Promise<boolean> {
  const query = tx.updateTable(tableOf(kind)).set({ state: to }).where('id', '=', id)
  return (await query.where('state', 'in', [...from]).executeTakeFirst()).numUpdatedRows > 0n
}
