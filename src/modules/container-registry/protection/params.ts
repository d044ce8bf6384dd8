import { type ParamValues, t } from '../../../api/index.ts'
import { protectionLevelNames } from '../../projects/index.ts'

const pattern = t.string({ description: 'Full path of a repository. `*` stands for any characters, also `/`.' })
const level = t.oneOf(protectionLevelNames, {
  description: 'Lowest role that may do it; at least one of the two is required.',
})
const levelOrEmpty = t.oneOf([...protectionLevelNames, ''] as const, {
  description: 'The empty text removes the restriction.',
})

export const newRule = {
  repository_path_pattern: t.required(pattern),
  minimum_access_level_for_push: level,
  minimum_access_level_for_delete: level,
}

export const ruleChanges = {
  repository_path_pattern: pattern,
  minimum_access_level_for_push: levelOrEmpty,
  minimum_access_level_for_delete: levelOrEmpty,
}
/** What requests say of a rule. */
export type GivenRule = ParamValues<typeof ruleChanges>
