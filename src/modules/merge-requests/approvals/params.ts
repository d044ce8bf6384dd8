import { type ParamValues, t } from '../../../api/index.ts'
import { reportTypes, ruleTypes } from '../tables.ts'

const people = {
  user_ids: t.array(t.integer(), { commaSeparated: true, maximum: 100 }),
  group_ids: t.array(t.integer(), { commaSeparated: true, maximum: 100 }),
  usernames: t.array(t.string(), { commaSeparated: true, maximum: 100 }),
}

const branches = {
  protected_branch_ids: t.array(t.integer(), {
    ...{ commaSeparated: true, maximum: 100 },
    description: 'The rule counts only for merge requests into these. Empty: into every branch.',
  }),
  applies_to_all_protected_branches: t.boolean(),
}

const longestName = 1_024

export const newApprovalRule = {
  name: t.required(t.string({ maxLength: longestName })),
  approvals_required: t.required(t.integer({ description: '0 to 100' })),
  rule_type: t.oneOf(ruleTypes),
  report_type: t.oneOf(reportTypes, { description: 'Only of a `report_approver`.' }),
  ...people,
  ...branches,
}
export type NewApprovalRule = ParamValues<typeof newApprovalRule>

export const approvalRuleChanges = {
  name: t.string({ maxLength: longestName }),
  approvals_required: t.integer({ description: '0 to 100' }),
  ...people,
  ...branches,
}
export type ApprovalRuleChanges = ParamValues<typeof approvalRuleChanges>
