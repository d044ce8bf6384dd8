import { type ParamValues, t } from '../../../api/index.ts'
import { role } from '../../access/index.ts'

/** The levels that a rule can require, by name (contract 02 R2). */
export const protectionLevels = { maintainer: role.maintainer, owner: role.owner, admin: role.administrator } as const

export type ProtectionLevel = keyof typeof protectionLevels

const names = Object.keys(protectionLevels) as ProtectionLevel[]
const pattern = t.string({ description: 'Full path of a repository. `*` stands for any characters, also `/`.' })
const level = t.oneOf(names, { description: 'Lowest role that may do it; at least one of the two is required.' })
const levelOrEmpty = t.oneOf([...names, ''] as const, { description: 'The empty text removes the restriction.' })

export const newRule = {
  repository_path_pattern: t.required(pattern),
  minimum_access_level_for_push: level,
  minimum_access_level_for_delete: level,
}
export type NewRule = ParamValues<typeof newRule>

export const ruleChanges = {
  repository_path_pattern: pattern,
  minimum_access_level_for_push: levelOrEmpty,
  minimum_access_level_for_delete: levelOrEmpty,
}
export type RuleChanges = ParamValues<typeof ruleChanges>
