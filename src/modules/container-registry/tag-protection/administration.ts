import { type ApiError, failure, type Static } from '../../../api/index.ts'
import { PatternError } from '../../../infra/regex/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project, ProtectionKind } from '../../projects/index.ts'
import type { RegistryTagRuleRow } from '../tables.ts'
import type { GivenTagRule } from './params.ts'
import { compileTagPattern, longestPattern } from './patterns.ts'
import { TagProtectionRule } from './present.ts'
import { countRules, deleteRule, insertRule, ruleById, rulesOfProject, updateRule } from './store.ts'

/** The problem of a pattern; null without one. */
function problemOf(pattern: string): string | null {
  if (pattern.trim() === '') return "Tag name pattern can't be blank"
  if ([...pattern].length > longestPattern) {
    return `Tag name pattern is too long (maximum is ${longestPattern} characters)`
  }
  try {
    compileTagPattern(pattern)
    return null
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    return `Tag name pattern not valid RE2 syntax: ${error.message}`
  }
}

type TagRuleKind = ProtectionKind<RegistryTagRuleRow, GivenTagRule, Static<typeof TagProtectionRule>>

/** The rules that protect tags of images (contract 26.17). @param refusal the error for a rule that is not accepted */
const kindOf = (refusal: (sentence: string) => ApiError): TagRuleKind => ({
  table: 'registry_tag_rules',
  sentences: {
    taken: 'Tag name pattern has already been taken',
    tooMany: 'Maximum number of protection rules have been reached.',
  },
  maximum: 5,
  refusal,
  read(_project, { tag_name_pattern: given }, known) {
    const pattern = given ?? known?.pattern ?? ''
    const problem = problemOf(pattern)
    if (problem !== null) throw refusal(problem)
    return { pattern }
  },
  present: (row) => TagProtectionRule.present(row),
  byId: ruleById,
  count: countRules,
  insert: insertRule,
  update: updateRule,
  remove: deleteRule,
})

/** The rules as requests create them. */
export const newTagRules = kindOf((sentence) => failure(422, sentence))

/** The rules as requests change them: errors have another form. */
export const knownTagRules = kindOf((sentence) => failure(422, { error: sentence }))

/** All rules of a project, by id (contract 26, x.tag_rules_list). */
export async function listTagRules({ database }: Platform, project: Project) {
  return (await rulesOfProject(database.read, project.id)).map((row) => TagProtectionRule.present(row))
}
