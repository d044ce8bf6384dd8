import { type ParamValues, t } from '../../../api/index.ts'
import { role } from '../../access/index.ts'
import { ruleTypes } from '../core/words.ts'

/** The levels that a rule can require, by name (contract 23, ProtectionRule). */
export const ruleLevels = { maintainer: role.maintainer, owner: role.owner, admin: role.administrator } as const
export type RuleLevel = keyof typeof ruleLevels

const pattern = t.string({
  blank: false,
  maxLength: 255,
  description: 'Name of a package. `*` stands for any characters, also `/`.',
})
const type = t.oneOf(ruleTypes)
const forPush = t.clearable(
  t.oneOf(['maintainer', 'owner', 'admin'], { description: 'Lowest role that may publish; empty: no rule.' }),
)
const forDelete = t.clearable(
  t.oneOf(['owner', 'admin'], { description: 'Lowest role that may delete; empty: no rule.' }),
)

export const newRule = {
  package_name_pattern: t.required(pattern),
  package_type: t.required(type),
  minimum_access_level_for_delete: forDelete,
  minimum_access_level_for_push: forPush,
}
export type NewRule = ParamValues<typeof newRule>

export const ruleChanges = {
  package_name_pattern: pattern,
  package_type: type,
  minimum_access_level_for_delete: forDelete,
  minimum_access_level_for_push: forPush,
}
export type RuleChanges = ParamValues<typeof ruleChanges>
