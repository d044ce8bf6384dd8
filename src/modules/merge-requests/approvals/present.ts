import { forms, nullable, oneOf, onlyIn, Type } from '../../../api/index.ts'
import { ListedGroup } from '../../groups/index.ts'
import { ProtectedBranch } from '../../protected-branches/index.ts'
import { UserBasic } from '../../users/index.ts'
import { reportTypes, reviewerStates, ruleTypes } from '../tables.ts'

const Approved = Type.Object({ user: UserBasic, approved_at: forms.timestamp })

const rule = {
  id: forms.id,
  name: Type.String(),
  rule_type: oneOf(ruleTypes),
  report_type: nullable(oneOf(reportTypes)),
  eligible_approvers: Type.Array(UserBasic),
  approvals_required: Type.Integer(),
  users: Type.Array(UserBasic),
  groups: Type.Array(ListedGroup),
  contains_hidden_groups: Type.Boolean(),
  protected_branches: Type.Array(ProtectedBranch),
  applies_to_all_protected_branches: Type.Boolean(),
}

/** A rule of a project (contract 19, Approval rule). */
export const ApprovalRule = Type.Object(rule, { title: 'ApprovalRule' })

const ofRequest = {
  section: forms.nullableString,
  source_rule: nullable(Type.Object({ approvals_required: Type.Integer() }, { title: 'ApprovalSourceRule' })),
  overridden: Type.Boolean(),
}

const { protected_branches: _, applies_to_all_protected_branches: __, ...withoutBranches } = rule

/** A rule as a merge request has it (contract 24, Approval rules). */
export const RequestApprovalRule = Type.Object(
  { ...withoutBranches, ...ofRequest },
  { title: 'MergeRequestApprovalRule' },
)

/** The rules with their progress (contract 19, x.mr_approval_state). */
export const ApprovalState = Type.Object(
  {
    approval_rules_overwritten: Type.Boolean(),
    rules: Type.Array(
      Type.Object({
        ...rule,
        approved: Type.Boolean(),
        approved_by: Type.Array(UserBasic),
        code_owner: Type.Boolean(),
        ...ofRequest,
      }),
    ),
  },
  { title: 'ApprovalState' },
)

const premium = { tier: 'premium' } as const

/** Who has approved a merge request, and what it lacks (contract 19, Approval state). */
export const Approvals = Type.Object(
  {
    id: onlyIn(premium, forms.id),
    iid: onlyIn(premium, forms.id),
    project_id: onlyIn(premium, forms.id),
    title: onlyIn(premium, Type.String()),
    description: onlyIn(premium, forms.nullableString),
    state: onlyIn(premium, Type.String()),
    created_at: onlyIn(premium, forms.timestamp),
    updated_at: onlyIn(premium, forms.timestamp),
    merge_status: onlyIn(premium, Type.String()),
    approved: Type.Boolean(),
    approvals_required: onlyIn(premium, Type.Integer()),
    approvals_left: onlyIn(premium, Type.Integer()),
    require_password_to_approve: onlyIn(premium, Type.Boolean()),
    approved_by: Type.Array(Approved),
    suggested_approvers: onlyIn(premium, Type.Array(UserBasic)),
    approvers: onlyIn(premium, Type.Array(Type.Object({ user: UserBasic }))),
    approver_groups: onlyIn(premium, Type.Array(Type.Object({ group: ListedGroup }))),
    user_has_approved: Type.Boolean(),
    user_can_approve: Type.Boolean(),
    approval_rules_left: onlyIn(
      premium,
      Type.Array(
        Type.Object({ id: forms.id, name: Type.String(), rule_type: Type.String() }, { title: 'ApprovalRuleLeft' }),
      ),
    ),
    has_approval_rules: onlyIn(premium, Type.Boolean()),
    merge_request_approvers_available: onlyIn(premium, Type.Boolean()),
    multiple_approval_rules_available: onlyIn(premium, Type.Boolean()),
    invalid_approvers_rules: onlyIn(premium, Type.Array(Type.String())),
  },
  { title: 'Approvals' },
)

/** A reviewer (contract 19, Reviewer). */
export const Reviewer = Type.Object(
  { user: UserBasic, state: oneOf(reviewerStates), created_at: forms.timestamp },
  { title: 'Reviewer' },
)
