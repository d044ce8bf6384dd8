import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { countRows, type Reader, rows, within } from '../../../infra/database/index.ts'
import { type RegistryProtectionRuleRow, registryProtectionRules } from '../tables.ts'

export const { insert: insertRule, update: updateRule, remove: deleteRule } = rows(registryProtectionRules)

/** A page of the rules of a project, by id. */
export async function pageOfRules(
  db: Reader,
  projectId: number,
  page: PageRequest,
): Promise<Page<RegistryProtectionRuleRow>> {
  const query = db.selectFrom('registry_protection_rules').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('id'), page)
}

export async function rulesOfProjects(
  db: Reader,
  projectIds: readonly number[],
): Promise<Pick<RegistryProtectionRuleRow, 'project_id' | 'pattern' | 'push_level' | 'delete_level'>[]> {
  return db
    .selectFrom('registry_protection_rules')
    .select(['project_id', 'pattern', 'push_level', 'delete_level'])
    .where(within(db, 'project_id', projectIds))
    .execute()
}

export async function ruleById(db: Reader, projectId: number, id: number): Promise<RegistryProtectionRuleRow | null> {
  const query = db.selectFrom('registry_protection_rules').selectAll().where('id', '=', id)
  return (await query.where('project_id', '=', projectId).executeTakeFirst()) ?? null
}

export function countRules(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('registry_protection_rules').where('project_id', '=', projectId))
}
