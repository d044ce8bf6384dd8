import { failure, type PageRequest, recordNotFound } from '../../../api/index.ts'
import { acquireLock, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { isRepositoryName } from '../repositories/names.ts'
import { type NewRule, type ProtectionLevel, protectionLevels, type RuleChanges } from './params.ts'
import { presentRule } from './present.ts'
import { countRules, deleteRule, insertRule, pageOfRules, ruleById, updateRule } from './store.ts'

/** Rules that a project can have. Each token request reads them all. */
const maximumRules = 1_000

const refusal = (sentence: string) => failure(422, { error: sentence })
const sentences = {
  taken: 'Repository path pattern has already been taken',
  malformed: 'Repository path pattern should be a valid container repository path with optional wildcard characters.',
  elsewhere: "Repository path pattern should start with the project's full path",
  empty: 'A rule must have at least a minimum access role for push or delete.',
  tooMany: `Container repository protection rules are too many (maximum is ${maximumRules})`,
} as const

const longestPattern = 255

/** Whether a text is the name of a repository in which `*` stands for any characters. */
function isRepositoryPattern(text: string): boolean {
  return text.length <= longestPattern && isRepositoryName(text.replace(/\*+/g, 'a'))
}

/** What follows the path of the project in a pattern. @throws ApiError 422 */
function relativePattern({ full_path: fullPath }: Project, given: string): string {
  const pattern = given.toLowerCase()
  if (!isRepositoryPattern(pattern)) throw refusal(sentences.malformed)
  if (!pattern.startsWith(fullPath.toLowerCase())) throw refusal(sentences.elsewhere)
  return pattern.slice(fullPath.length)
}

const levelOf = (name: ProtectionLevel | '' | undefined) => (name ? protectionLevels[name] : null)

/** Runs a change; a pattern that another rule has is refused. @throws ApiError 422 */
async function write<T>({ database }: Platform, change: (tx: Tx) => Promise<T>): Promise<T> {
  return database.write(change).catch((error) => {
    throw isUniqueViolation(error, 'registry_protection_rules_pattern_unique') ? refusal(sentences.taken) : error
  })
}

/** Serialises changes of the rules of a project, until the transaction ends. */
const lockRules = (tx: Tx, { id }: Project) => acquireLock(tx, `registry_protection_rules:${id}`)

/** The rule, which others cannot change or delete until the transaction ends. @throws ApiError 404 */
async function requireRule(tx: Tx, project: Project, id: number) {
  await lockRules(tx, project)
  const rule = await ruleById(tx, project.id, id)
  if (!rule) throw recordNotFound()
  return rule
}

/** A page of the protection rules of a project, by id (contract 02, x.protection_rules_list). */
export async function listRules({ database }: Platform, project: Project, page: PageRequest) {
  const found = await pageOfRules(database.read, project.id, page)
  return { ...found, items: found.items.map((rule) => presentRule(rule, project)) }
}

/** Creates a rule (contract 02, x.protection_rules_create). @throws ApiError 422 */
export async function createRule(platform: Platform, project: Project, given: NewRule) {
  const moment = now(platform.clock)
  const rule = {
    project_id: project.id,
    pattern: relativePattern(project, given.repository_path_pattern),
    push_level: levelOf(given.minimum_access_level_for_push),
    delete_level: levelOf(given.minimum_access_level_for_delete),
    created_at: moment,
    updated_at: moment,
  }
  return write(platform, async (tx) => {
    await lockRules(tx, project)
    if ((await countRules(tx, project.id)) >= maximumRules) throw refusal(sentences.tooMany)
    return presentRule(await insertRule(tx, rule), project)
  })
}

/** Changes the given members of a rule (contract 02, x.protection_rules_update). @throws ApiError 404, 422 */
export async function changeRule(platform: Platform, project: Project, id: number, given: RuleChanges) {
  const { repository_path_pattern: pattern } = given
  const { minimum_access_level_for_push: forPush, minimum_access_level_for_delete: forDelete } = given
  return write(platform, async (tx) => {
    const rule = await requireRule(tx, project, id)
    const changes = {
      pattern: pattern === undefined ? rule.pattern : relativePattern(project, pattern),
      push_level: forPush === undefined ? rule.push_level : levelOf(forPush),
      delete_level: forDelete === undefined ? rule.delete_level : levelOf(forDelete),
      updated_at: now(platform.clock),
    }
    if (changes.push_level === null && changes.delete_level === null) throw refusal(sentences.empty)
    return presentRule(await updateRule(tx, id, changes), project)
  })
}

/** Deletes a rule (contract 02, x.protection_rules_delete). @throws ApiError 404; 412 by `unmodified` */
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
