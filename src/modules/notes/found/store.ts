import { sql } from 'kysely'
import { type Condition, contains, type Reader } from '../../../infra/database/index.ts'
import type { NoteRow } from '../tables.ts'

/** So many of the newest notes are searched where no project is named: bodies have no index of their texts. */
const newestSearched = 50_000

/** Which notes are searched: those of one project, or those whose project meets a condition. */
export type SearchedNotes = { projectId: number } | { inProjects: Condition }

/** The notes of users in whose body all terms occur, by id. @param limit of rows */
export async function notesWith(
  db: Reader,
  where: SearchedNotes,
  terms: readonly string[],
  { sort, limit }: { sort: 'asc' | 'desc'; limit: number },
): Promise<NoteRow[]> {
  const newest = sql<boolean>`notes.id > coalesce((select recent.id from notes recent order by recent.id desc
    limit 1 offset ${sql.lit(newestSearched)}), 0)`
  const place =
    'projectId' in where
      ? sql<boolean>`notes.project_id = ${where.projectId}`
      : sql<boolean>`(${newest} and ${where.inProjects})`
  let query = db.selectFrom('notes').selectAll('notes').where('notes.system', '=', false)
  for (const term of terms) query = query.where(contains('notes.body', term))
  return query.where(place).orderBy('notes.id', sort).limit(limit).execute() as Promise<NoteRow[]>
}
