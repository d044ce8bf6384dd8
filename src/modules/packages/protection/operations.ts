import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import {
  changeProtectionRule,
  createProtectionRule,
  listProtectionRules,
  removeProtectionRule,
} from '../../projects/index.ts'
import { packageProject } from '../access/subjects.ts'
import { packageRules } from './administration.ts'
import { newRule, ruleChanges } from './params.ts'
import { PackageProtectionRule } from './present.ts'

const onRules = '/projects/:id/packages/protection/rules'
const onRule = '/projects/:id/packages/protection/rules/:package_protection_rule_id'
const package_protection_rule_id = t.id()

const shared = { tag: 'Packages', subject: packageProject } as const
const change = { ...shared, allow: 'admin_package_protection', scopes: writing } as const

export const packageRulesList = operation({
  id: 'package_rules.list',
  contract: 'x.package_rules_list',
  method: 'GET',
  path: onRules,
  summary: 'List the rules that protect packages',
  ...shared,
  allow: 'read_package_protection',
  scopes: reading,
  result: [200, pageOf(PackageProtectionRule)],
  run: ({ platform, subject, page }) => listProtectionRules(platform, packageRules, subject, page),
})

export const packageRulesCreate = operation({
  id: 'package_rules.create',
  contract: 'x.package_rules_create',
  method: 'POST',
  path: onRules,
  summary: 'Protect packages',
  description: 'Where several rules match a package, the highest level counts. Administrators are exempt.',
  ...change,
  params: newRule,
  atLeastOne: ['minimum_access_level_for_delete', 'minimum_access_level_for_push'],
  result: [201, PackageProtectionRule],
  run: ({ platform, subject, params }) => createProtectionRule(platform, packageRules, subject, params),
})

export const packageRulesUpdate = operation({
  id: 'package_rules.update',
  contract: 'x.package_rules_update',
  method: 'PATCH',
  path: onRule,
  summary: 'Change a rule that protects packages',
  ...change,
  params: { package_protection_rule_id, ...ruleChanges },
  result: [200, PackageProtectionRule],
  run: ({ platform, subject, params: { package_protection_rule_id: id, ...given } }) =>
    changeProtectionRule(platform, packageRules, subject, { id, given }),
})

export const packageRulesDelete = operation({
  id: 'package_rules.delete',
  contract: 'x.package_rules_delete',
  method: 'DELETE',
  path: onRule,
  summary: 'Remove a rule that protects packages',
  ...change,
  params: { package_protection_rule_id },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) =>
    removeProtectionRule(platform, packageRules, subject, { id: params.package_protection_rule_id, unmodified }),
})
