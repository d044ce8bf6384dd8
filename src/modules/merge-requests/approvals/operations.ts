import { nothing, pageOf, reading, statusNumber, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { mergeRequest } from '../subject.ts'
import * as approvals from './approvals.ts'
import { approvalRuleChanges, newApprovalRule } from './params.ts'
import { ApprovalRule, ApprovalState, Approvals, Reviewer } from './present.ts'
import * as rules from './rules.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'
const tag = 'Merge request approvals'
const reads = { tag, subject: mergeRequest, method: 'GET', allow: 'read_merge_requests', scopes: reading } as const
const writes = { tag, subject: mergeRequest, allow: 'approve_merge_requests', scopes: writing } as const

export const approvalsGet = operation({
  ...reads,
  id: 'merge_request_approvals.get',
  contract: 'x.mr_approvals',
  path: `${path}/approvals`,
  summary: 'Get the approvals of a merge request',
  params: { merge_request_iid },
  result: [200, Approvals],
  run: ({ platform, subject, actor }) => approvals.getApprovals(platform, subject, actor),
})

export const approvalsApprove = operation({
  ...writes,
  id: 'merge_request_approvals.approve',
  contract: 'x.mr_approve',
  method: 'POST',
  path: `${path}/approve`,
  summary: 'Approve a merge request',
  params: {
    merge_request_iid,
    sha: t.string({ description: 'The head that the caller has seen.' }),
    approval_password: t.string({ description: 'The password of the caller, where the settings ask for it.' }),
  },
  result: [201, Approvals],
  run: ({ platform, subject, actor, params, request }) =>
    approvals.approve(platform, subject, actor, { ...params, ip: request.ip }),
})

export const approvalsUnapprove = operation({
  ...writes,
  id: 'merge_request_approvals.unapprove',
  contract: 'x.mr_unapprove',
  method: 'POST',
  path: `${path}/unapprove`,
  summary: 'Withdraw the approval of the caller',
  params: { merge_request_iid },
  result: [201, Approvals],
  run: ({ platform, subject, actor }) => approvals.unapprove(platform, subject, actor),
})

export const approvalsReset = operation({
  ...writes,
  id: 'merge_request_approvals.reset',
  contract: 'x.mr_reset_approvals',
  method: 'PUT',
  path: `${path}/reset_approvals`,
  summary: 'Remove all approvals of a merge request',
  description: 'Only for the bot users of tokens of the project or group.',
  allow: 'comment_on_merge_requests',
  params: { merge_request_iid },
  result: [202, statusNumber],
  async run({ platform, subject, actor }) {
    await approvals.resetApprovals(platform, subject, actor)
    return 202
  },
})

export const approvalsState = operation({
  ...reads,
  tier: 'premium',
  id: 'merge_request_approvals.state',
  contract: 'x.mr_approval_state',
  path: `${path}/approval_state`,
  summary: 'Get the approval rules with their progress',
  allow: 'read_approval_rules',
  params: { merge_request_iid },
  result: [200, ApprovalState],
  run: ({ platform, subject, actor }) => approvals.getApprovalState(platform, subject, actor),
})

export const reviewersList = operation({
  ...reads,
  id: 'merge_request_reviewers.list',
  contract: 'x.mr_reviewers',
  path: `${path}/reviewers`,
  summary: 'List the reviewers of a merge request',
  params: { merge_request_iid },
  result: [200, pageOf(Reviewer)],
  run: ({ platform, subject, page }) => approvals.listReviewers(platform, subject, page),
})

const rulesPath = '/projects/:id/approval_rules'
const administers = { tier: 'premium', tag, subject: project, allow: 'admin_approval_rules', scopes: writing } as const
const approval_rule_id = t.id()

export const rulesList = operation({
  ...{ tier: 'premium', tag, subject: project, method: 'GET', allow: 'read_approval_rules', scopes: reading },
  id: 'approval_rules.list',
  contract: 'x.approval_rules',
  path: rulesPath,
  summary: 'List the approval rules of a project',
  result: [200, pageOf(ApprovalRule)],
  run: ({ platform, subject, actor, page }) => rules.listRules(platform, subject, actor, page),
})

export const rulesCreate = operation({
  ...administers,
  id: 'approval_rules.create',
  contract: 'x.approval_rule_create',
  method: 'POST',
  path: rulesPath,
  summary: 'Add an approval rule to a project',
  params: newApprovalRule,
  result: [201, ApprovalRule],
  run: ({ platform, subject, actor, params, act }) => rules.createRule(platform, subject, { actor, act }, params),
})

export const rulesUpdate = operation({
  ...administers,
  id: 'approval_rules.update',
  contract: 'x.approval_rule_update',
  method: 'PUT',
  path: `${rulesPath}/:approval_rule_id`,
  summary: 'Change an approval rule of a project',
  params: { approval_rule_id, ...approvalRuleChanges },
  result: [200, ApprovalRule],
  run: ({ platform, subject, actor, params: { approval_rule_id: id, ...changes }, act }) =>
    rules.updateRule(platform, subject, { actor, act }, id, changes),
})

export const rulesDelete = operation({
  ...administers,
  id: 'approval_rules.delete',
  contract: 'x.approval_rule_delete',
  method: 'DELETE',
  path: `${rulesPath}/:approval_rule_id`,
  summary: 'Delete an approval rule of a project',
  params: { approval_rule_id },
  result: [204, nothing],
  run: ({ platform, subject, params, act }) => rules.deleteRule(platform, subject, params.approval_rule_id, act),
})
