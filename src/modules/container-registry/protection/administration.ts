import { failure } from '../../../api/index.ts'
import { maximumRules, type PagedProtectionKind, type Project } from '../../projects/index.ts'
import { isRepositoryName } from '../repositories/names.ts'
import type { RegistryProtectionRuleRow } from '../tables.ts'
import type { GivenRule } from './params.ts'
import { presentRule } from './present.ts'
import { countRules, deleteRule, insertRule, pageOfRules, ruleById, updateRule } from './store.ts'

const refusal = (sentence: string) => failure(422, { error: sentence })
const malformed =
  'Repository path pattern should be a valid container repository path with optional wildcard characters.'
const elsewhere = "Repository path pattern should start with the project's full path"

const longestPattern = 255

/** Whether a text is the name of a repository in which `*` stands for any characters. */
function isRepositoryPattern(text: string): boolean {
  return text.length <= longestPattern && isRepositoryName(text.replace(/\*+/g, 'a'))
}

/** What follows the path of the project in a pattern. @throws ApiError 422 */
function relativePattern({ full_path: fullPath }: Project, given: string): string {
  const pattern = given.toLowerCase()
  if (!isRepositoryPattern(pattern)) throw refusal(malformed)
  if (!pattern.startsWith(fullPath.toLowerCase())) throw refusal(elsewhere)
  return pattern.slice(fullPath.length)
}

/** The rules that protect container repositories (contract 02, "Container repository protection rule"). */
export const repositoryRules: PagedProtectionKind<
  RegistryProtectionRuleRow,
  GivenRule,
  ReturnType<typeof presentRule>
> = {
  table: 'registry_protection_rules',
  sentences: {
    taken: 'Repository path pattern has already been taken',
    tooMany: `Container repository protection rules are too many (maximum is ${maximumRules})`,
  },
  maximum: maximumRules,
  refusal,
  read(project, { repository_path_pattern: given }, known) {
    return { pattern: given === undefined && known ? known.pattern : relativePattern(project, given ?? '') }
  },
  present: presentRule,
  page: pageOfRules,
  byId: ruleById,
  count: countRules,
  insert: insertRule,
  update: updateRule,
  remove: deleteRule,
}
