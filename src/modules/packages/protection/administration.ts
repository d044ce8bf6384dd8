import { failure } from '../../../api/index.ts'
import { maximumRules, type PagedProtectionKind } from '../../projects/index.ts'
import type { RuleType } from '../core/words.ts'
import type { PackageProtectionRuleRow } from '../tables.ts'
import type { GivenRule } from './params.ts'
import { PackageProtectionRule } from './present.ts'
import { countRules, deleteRule, insertRule, pageOfRules, ruleOfProject, updateRule } from './store.ts'

const refusal = (sentence: string) => failure(422, { error: [sentence] })

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

/** The rules that protect packages (contract 23, ProtectionRule). */
export const packageRules: PagedProtectionKind<
  PackageProtectionRuleRow,
  GivenRule,
  ReturnType<typeof PackageProtectionRule.present>
> = {
  table: 'package_protection_rules',
  sentences: {
    taken: 'Package name pattern has already been taken',
    tooMany: `Package protection rules are too many (maximum is ${maximumRules})`,
  },
  maximum: maximumRules,
  refusal,
  read(_project, given, known) {
    const pattern = given.package_name_pattern ?? known?.pattern ?? ''
    const type = given.package_type ?? known?.package_type ?? 'generic'
    requirePattern(pattern, type)
    return { pattern, package_type: type }
  },
  present: (row) => PackageProtectionRule.present(row),
  page: pageOfRules,
  byId: ruleOfProject,
  count: countRules,
  insert: insertRule,
  update: updateRule,
  remove: deleteRule,
}
