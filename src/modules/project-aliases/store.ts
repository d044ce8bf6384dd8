import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows } from '../../infra/database/index.ts'
import { type ProjectAliasRow, projectAliases } from './tables.ts'

export const { insert: insertAlias, remove: deleteAlias } = rows(projectAliases)

/** A page of all aliases, by id. */
export function pageOfAliases(db: Reader, page: PageRequest): Promise<Page<ProjectAliasRow>> {
  return pageOfRows(db, db.selectFrom('project_aliases').selectAll().orderBy('id'), page)
}

export async function aliasNamed(db: Reader, name: string): Promise<ProjectAliasRow | null> {
  return (await db.selectFrom('project_aliases').selectAll().where('name', '=', name).executeTakeFirst()) ?? null
}

/** The path of the project that has an alias; null without one. */
export async function pathOfAlias(db: Reader, name: string): Promise<string | null> {
  const query = db
    .selectFrom('project_aliases')
    .innerJoin('projects', 'projects.id', 'project_aliases.project_id')
    .select('projects.full_path')
  return (await query.where('project_aliases.name', '=', name).executeTakeFirst())?.full_path ?? null
}
