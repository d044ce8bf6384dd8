import { type Param, type ParamValues, t } from '../../../api/index.ts'
import { type ApprovalKey, approvalKeys } from './keys.ts'

/** A boolean of which the empty text is wrong, and not absent (contract 24, x.project_approval_setting_update). */
function filledFlag(): Param<boolean, false> {
  const flag = t.boolean()
  return {
    ...flag,
    emptyIsAbsent: false,
    read(value, name, problems) {
      if (typeof value !== 'string' || value.trim() !== '') return flag.read(value, name, problems)
      problems.push({ name, missing: false, text: 'is empty' })
      return undefined
    },
  }
}

/** The keys of ApprovalSetting in a request. */
export const keyChanges = Object.fromEntries(Object.keys(approvalKeys).map((name) => [name, filledFlag()])) as Record<
  ApprovalKey,
  Param<boolean, false>
>
export type KeyChanges = ParamValues<typeof keyChanges>

const flagOrNone = t.nullable(t.boolean({ description: 'Null is the default, which is off.' }))

/** ApprovalConfig in a request. */
export const configChanges = {
  approvals_before_merge: t.integer({ minimum: 0, maximum: 2 ** 31 - 1, description: 'Stored, without an effect.' }),
  reset_approvals_on_push: t.boolean(),
  selective_code_owner_removals: t.boolean(),
  disable_overriding_approvers_per_merge_request: flagOrNone,
  merge_requests_author_approval: flagOrNone,
  merge_requests_disable_committers_approval: flagOrNone,
  require_password_to_approve: t.boolean(),
  require_reauthentication_to_approve: t.boolean(),
}
export type ConfigChanges = ParamValues<typeof configChanges>
