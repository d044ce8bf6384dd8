import { allTakenIn, type Param, type ParamValues, t } from '../../../api/index.ts'
import { entriesParam, levelParam } from './entries.ts'

const levels = [0, 30, 40, 60]
const unprotectLevels = [30, 40, 60]
const premium = { tier: 'premium' } as const

/** A boolean for which a blank string is an error instead of an absent value (contract 1.21). */
function withoutBlank(definition: Param<boolean, false>): Param<boolean | null, false> {
  return {
    ...definition,
    nullable: true,
    emptyIsAbsent: false,
    read(value, name, problems) {
      if (typeof value !== 'string' || value.trim() !== '') return definition.read(value, name, problems)
      problems.push({ name, missing: false, text: 'is empty' })
      return undefined
    },
  }
}

const codeOwners = t.boolean({ description: 'Whether to refuse pushes to files that `CODEOWNERS` assigns to others.' })

export const ruleFilter = { search: t.string({ description: 'Part of the name of the rule.' }) }

/** @param keys whether entries may name deploy keys: only in projects */
export function newRule(keys: boolean) {
  return {
    name: t.required(t.string({ description: 'A branch, or several by `*`.' })),
    push_access_level: levelParam(levels, 'Default 40.'),
    merge_access_level: levelParam(levels, 'Default 40.'),
    unprotect_access_level: levelParam(unprotectLevels, 'Default 40.'),
    allow_force_push: t.boolean(),
    ...allTakenIn(premium, {
      allowed_to_push: entriesParam(levels, { keys }),
      allowed_to_merge: entriesParam(levels),
      allowed_to_unprotect: entriesParam(unprotectLevels),
      code_owner_approval_required: codeOwners,
    }),
  }
}
export type NewRule = ParamValues<ReturnType<typeof newRule>>

/** @param keys whether entries may name deploy keys: only in projects */
export function ruleChanges(keys: boolean) {
  return {
    allow_force_push: withoutBlank(t.boolean()),
    ...allTakenIn(premium, {
      code_owner_approval_required: codeOwners,
      allowed_to_push: entriesParam(levels, { keys, changes: true }),
      allowed_to_merge: entriesParam(levels, { changes: true }),
      allowed_to_unprotect: entriesParam(unprotectLevels, { changes: true }),
    }),
  }
}
export type RuleChanges = ParamValues<ReturnType<typeof ruleChanges>>
