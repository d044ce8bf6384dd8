import { type ParamValues, t } from '../../../api/index.ts'
import { protectionLevelNames } from '../../projects/index.ts'
import { ruleTypes } from '../core/words.ts'

const pattern = t.string({
  blank: false,
  maxLength: 255,
  description: 'Name of a package. `*` stands for any characters, also `/`.',
})
const type = t.oneOf(ruleTypes)
const forPush = t.clearable(
  t.oneOf(protectionLevelNames, { description: 'Lowest role that may publish; empty: no rule.' }),
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

export const ruleChanges = {
  package_name_pattern: pattern,
  package_type: type,
  minimum_access_level_for_delete: forDelete,
  minimum_access_level_for_push: forPush,
}
/** What requests say of a rule. */
export type GivenRule = ParamValues<typeof ruleChanges>
