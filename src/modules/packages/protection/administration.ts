import { failure, type PageRequest, recordNotFound } from '../../../api/index.ts'
import { acquireLock, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import type { RuleType } from '../core/words.ts'
import { type NewRule, type RuleChanges, type RuleLevel, ruleLevels } from './params.ts'
import { PackageProtectionRule } from './present.ts'
import { countRules, deleteRule, insertRule, pageOfRules, ruleOfProject, updateRule } from './store.ts'

/** Rules that a project can have. Each publication reads those of its format. */
const maximumRules = 1_000

const refusal = (sentence: string) => failure(422, { error: [sentence] })
const sentences = {
  taken: 'Package name pattern has already been taken',
  empty: 'A rule must have at least a minimum access role for push or delete.',
  tooMany: `Package protection rules are too many (maximum is ${maximumRules})`,
} as const

/** Formats whose patterns must be names in which `*` stands for any characters. */
const patterns: Partial<Record<RuleType, { title: string; form: RegExp }>> = {
  npm: { title: 'NPM', form: /^(?:@[-+._a-zA-Z0-9*]+\/)?[-+._a-zA-Z0-9*]+$|^@[-+._a-zA-Z0-9*]*\*[-+._a-zA-Z0-9*]*$/ },
  pypi: { title: 'PyPI', form: /^[-._a-zA-Z0-9*]+$/ },
}

/** @throws ApiError 422 */
function requirePattern(pattern: string, type: RuleType): void {
  const { title, form } = patterns[type] ?? {}
  if (pattern === '*' || !form || form.test(pattern)) return
  throw refusal(`Package name pattern should be a valid ${title} package name with optional wildcard characters.`)
}

const levelOf = (name: RuleLevel | null | undefined) => (name ? ruleLevels[name] : null)

/** Runs a change; a pattern that another rule of the format has is refused. @throws ApiError 422 */
async function write<T>({ database }: Platform, change: (tx: Tx) => Promise<T>): Promise<T> {
  return database.write(change).catch((error) => {
    throw isUniqueViolation(error, 'package_protection_rules_pattern_unique') ? refusal(sentences.taken) : error
  })
}

/** Serialises changes of the rules of a project, until the transaction ends. */
const lockRules = (tx: Tx, { id }: Project) => acquireLock(tx, `package_protection_rules:${id}`)

/** The rule, which others cannot change or delete until the transaction ends. @throws ApiError 404 */
async function requireRule(tx: Tx, project: Project, id: number) {
  await lockRules(tx, project)
  const rule = await ruleOfProject(tx, project.id, id)
  if (!rule) throw recordNotFound()
  return rule
}

/** A page of the rules of a project, by id (contract 23, x.package_rules_list). */
export async function listRules({ database }: Platform, project: Project, page: PageRequest) {
  const found = await pageOfRules(database.read, project.id, page)
  return { ...found, items: await PackageProtectionRule.presentAll(found.items) }
}

/** Creates a rule (contract 23, x.package_rules_create). @throws ApiError 422 */
export async function createRule(platform: Platform, project: Project, given: NewRule) {
  const moment = now(platform.clock)
  const { package_name_pattern: pattern, package_type } = given
  const push_level = levelOf(given.minimum_access_level_for_push)
  const delete_level = levelOf(given.minimum_access_level_for_delete)
  requirePattern(pattern, package_type)
  if (push_level === null && delete_level === null) throw refusal(sentences.empty)
  const row = { project_id: project.id, package_type, pattern, push_level, delete_level }
  return write(platform, async (tx) => {
    await lockRules(tx, project)
    if ((await countRules(tx, project.id)) >= maximumRules) throw refusal(sentences.tooMany)
    return PackageProtectionRule.present(await insertRule(tx, { ...row, created_at: moment, updated_at: moment }))
  })
}

/** Changes the given members of a rule (contract 23, x.package_rules_update). @throws ApiError 404, 422 */
export async function changeRule(platform: Platform, project: Project, id: number, given: RuleChanges) {
  const { minimum_access_level_for_push: forPush, minimum_access_level_for_delete: forDelete } = given
  return write(platform, async (tx) => {
    const rule = await requireRule(tx, project, id)
    const changes = {
      pattern: given.package_name_pattern ?? rule.pattern,
      package_type: given.package_type ?? rule.package_type,
      push_level: forPush === undefined ? rule.push_level : levelOf(forPush),
      delete_level: forDelete === undefined ? rule.delete_level : levelOf(forDelete),
      updated_at: now(platform.clock),
    }
    requirePattern(changes.pattern, changes.package_type)
    if (changes.push_level === null && changes.delete_level === null) throw refusal(sentences.empty)
    const changed = await updateRule(tx, rule.id, changes)
    return PackageProtectionRule.present(changed ?? { ...rule, ...changes })
  })
}

/** Deletes a rule (contract 23, x.package_rules_delete). @throws ApiError 404; 412 by `unmodified` */
export async function removeRule(
  { database }: Platform,
  project: Project,
  id: number,
  unmodified: (updatedAt: string) => void,
): Promise<void> {
  await database.write(async (tx) => {
    const rule = await requireRule(tx, project, id)
    unmodified(rule.updated_at)
    await deleteRule(tx, rule.id)
  })
}
