import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import {
  changeProtectionRule,
  createProtectionRule,
  listProtectionRules,
  project,
  removeProtectionRule,
} from '../../projects/index.ts'
import { repositoryRules } from './administration.ts'
import { newRule, ruleChanges } from './params.ts'
import { ProtectionRule } from './present.ts'

const onRules = '/projects/:id/registry/protection/repository/rules'
const onRule = '/projects/:id/registry/protection/repository/rules/:protection_rule_id'
const protection_rule_id = t.id()

const shared = { tag: 'Container registry', subject: project } as const
const change = { ...shared, allow: 'admin_container_protection', scopes: writing } as const

export const protectionRulesList = operation({
  id: 'container_protection_rules.list',
  contract: 'x.protection_rules_list',
  method: 'GET',
  path: onRules,
  summary: 'List the rules that protect container repositories',
  ...shared,
  allow: 'read_container_protection',
  scopes: reading,
  result: [200, pageOf(ProtectionRule)],
  run: ({ platform, subject, page }) => listProtectionRules(platform, repositoryRules, subject, page),
})

export const protectionRulesCreate = operation({
  id: 'container_protection_rules.create',
  contract: 'x.protection_rules_create',
  method: 'POST',
  path: onRules,
  summary: 'Protect container repositories',
  description: 'Where several rules match a repository, the highest level counts. Administrators are exempt.',
  ...change,
  params: newRule,
  atLeastOne: ['minimum_access_level_for_push', 'minimum_access_level_for_delete'],
  result: [201, ProtectionRule],
  run: ({ platform, subject, params }) => createProtectionRule(platform, repositoryRules, subject, params),
})

export const protectionRulesUpdate = operation({
  id: 'container_protection_rules.update',
  contract: 'x.protection_rules_update',
  method: 'PATCH',
  path: onRule,
  summary: 'Change a rule that protects container repositories',
  ...change,
  params: { protection_rule_id, ...ruleChanges },
  result: [200, ProtectionRule],
  run: ({ platform, subject, params: { protection_rule_id: id, ...given } }) =>
    changeProtectionRule(platform, repositoryRules, subject, { id, given }),
})

export const protectionRulesDelete = operation({
  id: 'container_protection_rules.delete',
  contract: 'x.protection_rules_delete',
  method: 'DELETE',
  path: onRule,
  summary: 'Remove a rule that protects container repositories',
  ...change,
  params: { protection_rule_id },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    removeProtectionRule(platform, repositoryRules, subject, { id: params.protection_rule_id, unmodified }),
})
