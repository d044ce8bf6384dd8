import { sql } from 'kysely'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import './tables.ts'

export type Language = { name: string; size_bytes: number }

/** The rows of the projects with files in a language, in any case of its name: the text after `from`, as `found`. */
export const writtenIn = (name: string) => sql`project_languages found where lower(found.name) = ${name.toLowerCase()}`

/** The commit whose languages are stored; null when none are. */
export async function countedCommit(db: Reader, projectId: number): Promise<string | null> {
  const query = db.selectFrom('project_language_heads').select('commit_id').where('project_id', '=', projectId)
  return (await query.executeTakeFirst())?.commit_id ?? null
}

/** The stored languages of a project, the largest first. */
export async function languagesOf(db: Reader, projectId: number): Promise<Language[]> {
  const query = db.selectFrom('project_languages').select(['name', 'size_bytes']).where('project_id', '=', projectId)
  return query.orderBy('size_bytes', 'desc').orderBy('name').execute()
}

/** Replaces the languages of a project by those of a commit. */
export async function storeLanguages(
  tx: Tx,
  projectId: number,
  commitId: string,
  languages: readonly Language[],
): Promise<void> {
  await tx
    .insertInto('project_language_heads')
    .values({ project_id: projectId, commit_id: commitId })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ commit_id: commitId }))
    .execute()
  await tx.deleteFrom('project_languages').where('project_id', '=', projectId).execute()
  if (languages.length === 0) return
  const rows = languages.map((language) => ({ ...language, project_id: projectId }))
  await tx.insertInto('project_languages').values(rows).execute()
}
