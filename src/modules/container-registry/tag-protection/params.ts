import { type ParamValues, t } from '../../../api/index.ts'
import { protectionLevelNames } from '../../projects/index.ts'

const pattern = t.string({
  description:
    'An RE2 expression of up to 100 characters that is found in the names of the tags, such as `^v.*` or `-stable$`.',
})
const level = t.oneOf(protectionLevelNames, { description: 'Lowest role that may do it.' })
const levelOrEmpty = t.oneOf([...protectionLevelNames, ''] as const, {
  description: 'The empty text removes the restriction.',
})

export const newTagRule = {
  tag_name_pattern: t.required(pattern),
  minimum_access_level_for_push: t.required(level),
  minimum_access_level_for_delete: t.required(level),
}

export const tagRuleChanges = {
  tag_name_pattern: pattern,
  minimum_access_level_for_push: levelOrEmpty,
  minimum_access_level_for_delete: levelOrEmpty,
}
/** What requests say of a rule. */
export type GivenTagRule = ParamValues<typeof tagRuleChanges>
