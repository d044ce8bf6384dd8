import { sql } from 'kysely'
import { contains, portions, portionsOf, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { insertDiscussions, insertNotes } from '../discussions/store.ts'
import { columnsOf, type Noteable } from '../noteable.ts'
import { refersTo } from '../store.ts'

/** Rows of one statement: their columns are parameters of the query. */
const atOnce = 500

/** Copies the discussions of a noteable. @returns the ids of the copies, by those of the originals */
async function copyDiscussions(tx: Tx, from: Noteable, to: Noteable): Promise<Map<number, number>> {
  const originals = await tx.selectFrom('discussions').selectAll().where(refersTo(from)).orderBy('id').execute()
  const copies = new Map<number, number>()
  for (const portion of portionsOf(originals, atOnce)) {
    const rows = portion.map(({ id: _id, position, ...row }) => ({
      ...{ ...row, ...columnsOf(to), public_id: randomHex(20) },
      position: position && JSON.stringify(position),
    }))
    const ids = await insertDiscussions(tx, rows)
    for (const [index, { id }] of portion.entries()) copies.set(id, ids[index] as number)
  }
  return copies
}

/** Bodies in memory at once: each may be large. */
const bodiesAtOnce = 20

/** Yields the texts of the notes of a noteable that contain a text, the oldest first. */
export async function* noteTextsWith(db: Reader, noteable: Noteable, text: string): AsyncGenerator<string> {
  const pages = portions((afterId) =>
    db
      .selectFrom('notes')
      .select(['id', 'body'])
      .where(refersTo(noteable))
      .where(contains('body', text))
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(bodiesAtOnce)
      .execute(),
  )
  for await (const page of pages) yield* page.map(({ body }) => body)
}

/**
 * Copies the discussions, notes and award emoji of a noteable to another one, with their authors and times (contract 16,
 * x.issue_move).
 * @param to has none of its own yet
 * @param rewritten gives the text of the copy of a note
 * @returns the ids of the copies of the notes, by those of the originals
 */
export async function copyNotes(
  tx: Tx,
  from: Noteable,
  to: Noteable,
  rewritten: (text: string) => string,
): Promise<Map<number, number>> {
  const all = new Map<number, number>()
  const discussions = await copyDiscussions(tx, from, to)
  const originals = await tx.selectFrom('notes').selectAll().where(refersTo(from)).orderBy('id').execute()
  for (const portion of portionsOf(originals, atOnce)) {
    const rows = portion.map(({ id: _id, discussion_id, body, ...row }) => ({
      ...{ ...row, ...columnsOf(to), body: rewritten(body) },
      discussion_id: discussions.get(discussion_id) as number,
    }))
    const ids = await insertNotes(tx, rows)
    const copies = new Map(portion.map(({ id }, index) => [id, ids[index] as number]))
    await copyAwardsOfNotes(tx, copies, to)
    for (const [original, copy] of copies) all.set(original, copy)
  }
  const { noteable_type, noteable_id, project_id } = columnsOf(to)
  await sql`insert into award_emoji (noteable_type, noteable_id, project_id, user_id, name, created_at, updated_at)
    select ${noteable_type}, cast(${noteable_id} as bigint), cast(${project_id} as bigint), user_id, name, created_at, updated_at
    from award_emoji where ${refersTo(from)} order by id`.execute(tx)
  return all
}

async function copyAwardsOfNotes(tx: Tx, copies: ReadonlyMap<number, number>, to: Noteable): Promise<void> {
  const awards = await tx
    .selectFrom('award_emoji')
    .selectAll()
    .where('noteable_type', '=', 'Note')
    .where(within(tx, 'noteable_id', [...copies.keys()]))
    .orderBy('id')
    .execute()
  for (const portion of portionsOf(awards, atOnce)) {
    const rows = portion.map(({ id: _id, noteable_id, ...row }) => ({
      ...{ ...row, project_id: to.projectId },
      noteable_id: copies.get(noteable_id ?? 0) as number,
    }))
    await tx.insertInto('award_emoji').values(rows).execute()
  }
}
