import { type ParamValues, t } from '../../../api/index.ts'
import { reportTypes, ruleTypes } from '../tables.ts'

const people = {
  user_ids: t.array(t.integer(), { commaSeparated: true, maximum: 100 }),
  group_ids: t.array(t.integer(), { commaSeparated: true, maximum: 100 }),
  usernames: t.array(t.string(), { commaSeparated: true, maximum: 100 }),
  users: t.array(t.integer(), { commaSeparated: true, maximum: 100, description: 'Another name of `user_ids`.' }),
  groups: t.array(t.integer(), { commaSeparated: true, maximum: 100, description: 'Another name of `group_ids`.' }),
}

const hidden = {
  remove_hidden_groups: t.boolean({ description: 'Whether groups that the caller cannot see leave the rule.' }),
}

const branches = {
  protected_branch_ids: t.array(t.integer(), {
    ...{ commaSeparated: true, maximum: 100 },
    description: 'The rule counts only for merge requests into these. Empty: into every branch.',
  }),
  applies_to_all_protected_branches: t.boolean(),
}

const longestName = 1_024

const newRule = {
  name: t.required(t.string({ maxLength: longestName })),
  approvals_required: t.required(t.integer({ description: '0 to 100' })),
  rule_type: t.oneOf(ruleTypes),
  report_type: t.oneOf(reportTypes, { description: 'Only of a `report_approver`.' }),
}
const ruleChanges = {
  name: t.string({ maxLength: longestName }),
  approvals_required: t.integer({ description: '0 to 100' }),
}

/** Rules of groups in a request. */
export const newGroupRule = { ...newRule, ...people }
export type NewGroupRule = ParamValues<typeof newGroupRule>
export const groupRuleChanges = { ...ruleChanges, ...people, ...hidden }
export type ScopedRuleChanges = ParamValues<typeof groupRuleChanges>

/** Rules of merge requests in a request. */
export const newRequestRule = {
  ...newRule,
  ...people,
  approval_project_rule_id: t.integer({
    description: 'A rule of the project, whose name, users and groups are copied.',
  }),
}
export type NewRequestRule = ParamValues<typeof newRequestRule>
export const requestRuleChanges = groupRuleChanges

export const newApprovalRule = {
  ...newRule,
  ...people,
  ...hidden,
  ...branches,
}
export type NewApprovalRule = ParamValues<typeof newApprovalRule>

export const approvalRuleChanges = {
  ...ruleChanges,
  ...people,
  ...hidden,
  ...branches,
}
export type ApprovalRuleChanges = ParamValues<typeof approvalRuleChanges>
