import { nothing, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { changeProtectionRule, createProtectionRule, project, removeProtectionRule } from '../../projects/index.ts'
import { knownTagRules, listTagRules, newTagRules } from './administration.ts'
import { newTagRule, tagRuleChanges } from './params.ts'
import { TagProtectionRule } from './present.ts'

const onRules = '/projects/:id/registry/protection/tag/rules'
const onRule = `${onRules}/:protection_rule_id` as const
const protection_rule_id = t.id()

const shared = { tag: 'Container registry', subject: project } as const
const change = { ...shared, allow: 'admin_container_protection', scopes: writing } as const

export const tagRulesList = operation({
  id: 'container_tag_rules.list',
  contract: 'x.tag_rules_list',
  method: 'GET',
  path: onRules,
  summary: 'List the rules that protect tags of images',
  ...shared,
  allow: 'read_container_protection',
  scopes: reading,
  result: [200, Type.Array(TagProtectionRule)],
  run: ({ platform, subject }) => listTagRules(platform, subject),
})

export const tagRulesCreate = operation({
  id: 'container_tag_rules.create',
  contract: 'x.tag_rules_create',
  method: 'POST',
  path: onRules,
  summary: 'Protect tags of images',
  description:
    'Applies to all repositories of the project. Where several rules match a tag, the highest level counts. ' +
    'Administrators are exempt; a deploy token counts as a Developer. A project has up to 5 rules.',
  ...change,
  params: newTagRule,
  result: [201, TagProtectionRule],
  run: ({ platform, subject, params }) => createProtectionRule(platform, newTagRules, subject, params),
})

export const tagRulesUpdate = operation({
  id: 'container_tag_rules.update',
  contract: 'x.tag_rules_update',
  method: 'PATCH',
  path: onRule,
  summary: 'Change a rule that protects tags of images',
  ...change,
  params: { protection_rule_id, ...tagRuleChanges },
  result: [200, TagProtectionRule],
  run: ({ platform, subject, params: { protection_rule_id: id, ...given } }) =>
    changeProtectionRule(platform, knownTagRules, subject, { id, given }),
})

export const tagRulesDelete = operation({
  id: 'container_tag_rules.delete',
  contract: 'x.tag_rules_delete',
  method: 'DELETE',
  path: onRule,
  summary: 'Remove a rule that protects tags of images',
  ...change,
  params: { protection_rule_id },
  result: [204, nothing],
  run: ({ platform, subject, params: { protection_rule_id: id }, unmodified }) =>
    removeProtectionRule(platform, knownTagRules, subject, { id, unmodified }),
})
