import { countRows, type Reader, rows } from '../../../infra/database/index.ts'
import { type RegistryTagRuleRow, registryTagRules } from '../tables.ts'

export const { insert: insertRule, update: updateRule, remove: deleteRule } = rows(registryTagRules)

/** All rules of a project, by id; there are few. */
export function rulesOfProject(db: Reader, projectId: number): Promise<RegistryTagRuleRow[]> {
  return db.selectFrom('registry_tag_rules').selectAll().where('project_id', '=', projectId).orderBy('id').execute()
}

export async function ruleById(db: Reader, projectId: number, id: number): Promise<RegistryTagRuleRow | null> {
  const query = db.selectFrom('registry_tag_rules').selectAll().where('id', '=', id)
  return (await query.where('project_id', '=', projectId).executeTakeFirst()) ?? null
}

export function countRules(db: Reader, projectId: number): Promise<number> {
  return countRows(db.selectFrom('registry_tag_rules').where('project_id', '=', projectId))
}
