import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows } from '../../../infra/database/index.ts'
import { type PackageProtectionRuleRow, packageProtectionRules } from '../tables.ts'

export const { insert: insertRule, update: updateRule, remove: deleteRule } = rows(packageProtectionRules)

const ofProject = (db: Reader, projectId: number) =>
  db.selectFrom('package_protection_rules').selectAll().where('project_id', '=', projectId)

/** A page of the rules of a project, by id. */
export async function pageOfRules(
  db: Reader,
  projectId: number,
  page: PageRequest,
): Promise<Page<PackageProtectionRuleRow>> {
  return pageOfRows(db, ofProject(db, projectId).orderBy('id'), page)
}

/** The rules of a project for a format. */
export async function rulesFor(
  db: Reader,
  projectId: number,
  type: PackageProtectionRuleRow['package_type'],
): Promise<PackageProtectionRuleRow[]> {
  return ofProject(db, projectId).where('package_type', '=', type).execute()
}

export async function ruleOfProject(
  db: Reader,
  projectId: number,
  id: number,
): Promise<PackageProtectionRuleRow | null> {
  return (await ofProject(db, projectId).where('id', '=', id).executeTakeFirst()) ?? null
}

export async function countRules(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('package_protection_rules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
