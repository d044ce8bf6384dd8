import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { countRows, type Reader, rows, within } from '../../infra/database/index.ts'
import { type ProtectedTagRow, protectedTags } from './tables.ts'

export const { insert: insertTagRule, remove: deleteTagRule } = rows(protectedTags)

/** A page of the rules of a project, by name. */
export async function pageOfTagRules(db: Reader, projectId: number, page: PageRequest): Promise<Page<ProtectedTagRow>> {
  const query = db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('name'), page)
}

/** The rules that may match one of these tags: by exact name or by a wildcard. Without names, all rules. */
export async function tagRulesFor(db: Reader, projectId: number, tags?: readonly string[]): Promise<ProtectedTagRow[]> {
  const query = db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId).orderBy('name')
  if (!tags) return query.execute()
  return query.where((eb) => eb.or([within(db, 'name', [...new Set(tags)]), sql<boolean>`name like '%*%'`])).execute()
}

export async function tagRuleNamed(db: Reader, projectId: number, name: string): Promise<ProtectedTagRow | null> {
  const query = db.selectFrom('protected_tags').selectAll().where('project_id', '=', projectId)
  return (await query.where('name', '=', name).executeTakeFirst()) ?? null
}

export function countTagRules(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('protected_tags').where('project_id', '=', projectId))
}
