import { type ParamValues, t } from '../../../api/index.ts'

const people = {
  user_ids: t.array(t.integer(), { commaSeparated: true, maximum: 100 }),
  group_ids: t.array(t.integer(), { commaSeparated: true, maximum: 100 }),
  usernames: t.array(t.string(), { commaSeparated: true, maximum: 100 }),
}

const longestName = 1_024

export const newApprovalRule = {
  name: t.required(t.string({ maxLength: longestName })),
  approvals_required: t.required(t.integer({ description: '0 to 100' })),
  rule_type: t.oneOf(['regular', 'any_approver']),
  ...people,
}
export type NewApprovalRule = ParamValues<typeof newApprovalRule>

export const approvalRuleChanges = {
  name: t.string({ maxLength: longestName }),
  approvals_required: t.integer({ description: '0 to 100' }),
  ...people,
}
export type ApprovalRuleChanges = ParamValues<typeof approvalRuleChanges>
