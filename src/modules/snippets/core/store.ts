import { type Insertable, sql, type Updateable } from 'kysely'
import { type Reader, rows, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import { type SnippetRow, snippets } from '../tables.ts'

export const { remove: deleteSnippets } = rows(snippets)

export async function snippetById(db: Reader, id: number): Promise<SnippetRow | null> {
  const query = db.selectFrom('snippets').selectAll().where('id', '=', id).where('file_name', 'is not', null)
  return ((await query.executeTakeFirst()) as SnippetRow | undefined) ?? null
}

/** The snippets with these ids, without unfinished ones. */
export async function snippetsByIds(db: Reader, ids: readonly number[]): Promise<SnippetRow[]> {
  const query = db.selectFrom('snippets').selectAll().where('file_name', 'is not', null)
  return (await query.where(within(db, 'snippets.id', ids)).execute()) as SnippetRow[]
}

/** Records that a snippet was changed. */
export async function touchSnippet(tx: Tx, id: number, updated_at: string): Promise<void> {
  await updateSnippet(tx, id, { updated_at })
}

/** Lists snippets by id, in portions. @param id the last id of the previous portion */
export async function snippetsAfter(db: Reader, id: number, limit: number): Promise<SnippetRow[]> {
  const query = db.selectFrom('snippets').selectAll().where('file_name', 'is not', null)
  return (await query.where('id', '>', id).orderBy('id').limit(limit).execute()) as SnippetRow[]
}

/** Inserts the row of a snippet without files. */
export async function insertSnippet(tx: Tx, snippet: Insertable<Tables['snippets']>): Promise<number> {
  return (await tx.insertInto('snippets').values(snippet).returning('id').executeTakeFirstOrThrow()).id
}

/** Changes a snippet. @returns false when it was deleted meanwhile */
export async function updateSnippet(tx: Tx, id: number, changes: Updateable<Tables['snippets']>): Promise<boolean> {
  const result = await tx.updateTable('snippets').set(changes).where('id', '=', id).executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Records the first file after a change of the files. A new snippet keeps the time of its creation. */
export async function recordFirstFile(tx: Tx, id: number, fileName: string, now: string): Promise<void> {
  await tx
    .updateTable('snippets')
    .set({ file_name: fileName, updated_at: sql`case when file_name is null then updated_at else ${now} end` })
    .where('id', '=', id)
    .execute()
}

/** Ids as a sub-query. */
export function idsAsQuery(db: Reader, ids: readonly number[]) {
  return sql<number>`(select id from snippets where ${within(db, 'snippets.id', ids)})`
}

/** The snippets of a project. */
export function idsInProject(projectId: number) {
  return sql<number>`(select id from snippets where project_id = ${projectId})`
}

/** The ids of the snippets of an author. @param personal whether only the personal ones */
export async function idsOfAuthor(tx: Tx, authorId: number, { personal }: { personal: boolean }): Promise<number[]> {
  const query = tx.selectFrom('snippets').select('id').where('author_id', '=', authorId)
  const rows = await (personal ? query.where('project_id', 'is', null) : query).execute()
  return rows.map(({ id }) => id)
}

export async function changeAuthor(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('snippets').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** Whether an author has any snippets. */
export async function hasSnippets(tx: Tx, authorId: number): Promise<boolean> {
  return (
    (await tx.selectFrom('snippets').select('id').where('author_id', '=', authorId).executeTakeFirst()) !== undefined
  )
}

/** Snippets whose creation was interrupted before a time. */
export async function unfinishedSnippets(db: Reader, before: string, limit: number): Promise<number[]> {
  const query = db.selectFrom('snippets').select('id').where('file_name', 'is', null)
  const rows = await query.where('created_at', '<', before).orderBy('created_at').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Each has its content with it. */
const rowsAtOnce = 20

/** Snippets of a project after an id, in the order of the ids. */
export async function projectSnippetsAfter(db: Reader, projectId: number, afterId: number): Promise<SnippetRow[]> {
  const query = db.selectFrom('snippets').selectAll().where('project_id', '=', projectId).where('id', '>', afterId)
  const rows = await query.where('file_name', 'is not', null).orderBy('id').limit(rowsAtOnce).execute()
  return rows as SnippetRow[]
}
