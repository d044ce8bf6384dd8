import { type Param, t } from '../../../api/index.ts'
import { entriesParam } from '../grantees.ts'

const levels = [0, 30, 40, 60]
const unprotectLevels = [30, 40, 60]

/** A boolean that says so when it is blank, instead of being as good as absent (contract 1.21). */
function unblank(definition: Param<boolean, false>): Param<boolean | null, false> {
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

const codeOwners = t.boolean({ description: 'Whether pushes to files of others, by `CODEOWNERS`, are refused.' })

/** What a new rule takes. @param keys whether deploy keys may be named */
export function newRuleParams(keys: boolean) {
  return {
    name: t.required(t.string({ description: 'A branch, or several by `*`.' })),
    push_access_level: t.integerOf(levels, { description: 'Default 40.' }),
    merge_access_level: t.integerOf(levels, { description: 'Default 40.' }),
    unprotect_access_level: t.integerOf(unprotectLevels, { description: 'Default 40.' }),
    allow_force_push: t.boolean(),
    allowed_to_push: entriesParam(levels, { keys }),
    allowed_to_merge: entriesParam(levels),
    allowed_to_unprotect: entriesParam(unprotectLevels),
    code_owner_approval_required: codeOwners,
  }
}

/** What can be changed of a rule. @param keys whether deploy keys may be named */
export function ruleChangeParams(keys: boolean) {
  return {
    allow_force_push: unblank(t.boolean()),
    code_owner_approval_required: codeOwners,
    allowed_to_push: entriesParam(levels, { keys, changes: true }),
    allowed_to_merge: entriesParam(levels, { changes: true }),
    allowed_to_unprotect: entriesParam(unprotectLevels, { changes: true }),
  }
}
