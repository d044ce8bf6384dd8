import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { NoteableType } from '../noteable.ts'

/** What is counted of a noteable in lists (contract 16, Issue). */
export type NoteableCounts = { user_notes_count: number; upvotes: number; downvotes: number }

const none: NoteableCounts = { user_notes_count: 0, upvotes: 0, downvotes: 0 }

/** The notes of users and the votes of each of these noteables, in one query. @returns a function from the id */
export async function countsOf(
  db: Reader,
  type: NoteableType,
  ids: readonly number[],
): Promise<(id: number) => NoteableCounts> {
  if (ids.length === 0) return () => none
  const query = sql<{ id: number; what: keyof NoteableCounts; count: number }>`
    select noteable_id as id, 'user_notes_count' as what, count(*) as count from notes
      where noteable_type = ${type} and ${within(db, 'noteable_id', ids)} and system = false
      group by noteable_id
    union all
    select noteable_id, case name when 'thumbsup' then 'upvotes' else 'downvotes' end, count(*) from award_emoji
      where noteable_type = ${type} and ${within(db, 'noteable_id', ids)} and name in ('thumbsup', 'thumbsdown')
      group by noteable_id, name`
  const { rows } = await query.execute(db as never)
  const found = new Map<number, NoteableCounts>()
  for (const { id, what, count } of rows) found.set(id, { ...(found.get(id) ?? none), [what]: Number(count) })
  return (id) => found.get(id) ?? none
}

/** How many threads of each of these noteables are not resolved; those without any are absent. */
export async function openThreadsOf(
  db: Reader,
  type: NoteableType,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const query = sql<{ id: number; count: number }>`
    select noteable_id as id, count(*) as count from discussions
    where noteable_type = ${type} and ${within(db, 'noteable_id', ids)}
      and individual_note = false and resolved_at is null
    group by noteable_id`
  const { rows } = await query.execute(db as never)
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}
