import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { NoteableType } from '../noteable.ts'
import type { AwardEmojiRow, DiscussionRow, NoteRow } from '../tables.ts'

/** The notes of these noteables of a type, oldest first. */
export async function notesOfNoteables(db: Reader, type: NoteableType, ids: readonly number[]): Promise<NoteRow[]> {
  if (ids.length === 0) return []
  const query = db.selectFrom('notes').selectAll().where('noteable_type', '=', type)
  return query
    .where(within(db, 'noteable_id', ids))
    .orderBy('noteable_id')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

const rowsAtOnce = 200

/** The last note of a portion; null before the first. */
type Position = Pick<NoteRow, 'commit_id' | 'created_at' | 'id'> | null

/** Notes of the commits of a project after a position, by commit, oldest first. */
export async function commitNotesAfter(db: Reader, projectId: number, after: Position): Promise<NoteRow[]> {
  let query = db.selectFrom('notes').selectAll().where('project_id', '=', projectId).where('commit_id', 'is not', null)
  if (after !== null) {
    const { commit_id, created_at, id } = after
    query = query.where(sql<boolean>`(commit_id, created_at, id) > (${commit_id}, ${created_at}, ${id})`)
  }
  return query.orderBy('commit_id').orderBy('created_at').orderBy('id').limit(rowsAtOnce).execute()
}

/** The award emoji of these noteables or notes, by id, oldest first. */
export async function awardsOf(
  db: Reader,
  type: NoteableType | 'Note',
  ids: readonly number[],
): Promise<ReadonlyMap<number, AwardEmojiRow[]>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('award_emoji').selectAll().where('noteable_type', '=', type)
  const rows = await query
    .where(within(db, 'noteable_id', ids))
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ noteable_id }) => noteable_id as number)
}

/** These discussions, by id. */
export async function discussionsById(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, DiscussionRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('discussions')
    .selectAll()
    .where(within(db, 'id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** How many notes each of these noteables has, system notes included; those without any are absent. */
export async function noteCounts(
  db: Reader,
  type: NoteableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('notes')
    .select((eb) => ['noteable_id', eb.fn.countAll<number>().as('count')])
    .where('noteable_type', '=', type)
    .where(within(db, 'noteable_id', ids))
    .groupBy('noteable_id')
    .execute()
  return new Map(rows.map(({ noteable_id, count }) => [noteable_id as number, Number(count)]))
}
