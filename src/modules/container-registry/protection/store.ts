import type { Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import { type RegistryProtectionRuleRow, registryProtectionRules } from '../tables.ts'

export const { insert: insertRule, remove: deleteRule } = rows(registryProtectionRules)

type Rules = Tables['registry_protection_rules']

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

export async function countRules(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('registry_protection_rules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** @throws UniqueViolation of `registry_protection_rules_pattern_unique` */
export async function updateRule(tx: Tx, id: number, changes: Updateable<Rules>): Promise<RegistryProtectionRuleRow> {
  return tx
    .updateTable('registry_protection_rules')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
