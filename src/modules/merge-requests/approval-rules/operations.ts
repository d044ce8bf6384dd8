import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { groupRuleChanges, newGroupRule, newRequestRule, requestRuleChanges } from '../approvals/params.ts'
import { ApprovalRule, RequestApprovalRule } from '../approvals/present.ts'
import { getRule } from '../approvals/rules.ts'
import { merge_request_iid } from '../core/params.ts'
import { mergeRequest } from '../subject.ts'
import * as groups from './groups.ts'
import * as requests from './requests.ts'

const shared = { tier: 'premium', tag: 'Merge request approvals' } as const
const approval_rule_id = t.id()

export const ruleGet = operation({
  ...{ ...shared, subject: project, method: 'GET', allow: 'read_approval_rules', scopes: reading },
  id: 'approval_rules.get',
  contract: 'x.approval_rule_get',
  path: '/projects/:id/approval_rules/:approval_rule_id',
  summary: 'Get an approval rule of a project',
  params: { approval_rule_id },
  result: [200, ApprovalRule],
  run: ({ platform, subject, actor, params }) => getRule(platform, subject, actor, params.approval_rule_id),
})

const ofRequest = '/projects/:id/merge_requests/:merge_request_iid/approval_rules'
const oneOfRequest = `${ofRequest}/:approval_rule_id` as const
const reads = {
  ...shared,
  subject: mergeRequest,
  method: 'GET',
  allow: 'read_merge_requests',
  scopes: reading,
} as const
const writes = { ...shared, subject: mergeRequest, allow: 'update_merge_requests', scopes: writing } as const

export const requestRulesList = operation({
  ...reads,
  id: 'merge_request_approval_rules.list',
  contract: 'x.mr_approval_rules',
  path: ofRequest,
  summary: 'List the approval rules of a merge request',
  description: 'Its own rules, or without any those of the project; and those of the groups above.',
  params: { merge_request_iid },
  result: [200, pageOf(RequestApprovalRule)],
  run: ({ platform, subject, actor, page }) => requests.listRequestRules(platform, subject, actor, page),
})

export const requestRuleGet = operation({
  ...reads,
  id: 'merge_request_approval_rules.get',
  contract: 'x.mr_approval_rule_get',
  path: oneOfRequest,
  summary: 'Get an approval rule of a merge request',
  params: { merge_request_iid, approval_rule_id },
  result: [200, RequestApprovalRule],
  run: ({ platform, subject, actor, params }) =>
    requests.getRequestRule(platform, subject, actor, params.approval_rule_id),
})

export const requestRuleCreate = operation({
  ...writes,
  id: 'merge_request_approval_rules.create',
  contract: 'x.mr_approval_rule_create',
  method: 'POST',
  path: ofRequest,
  summary: 'Add an approval rule to a merge request',
  description: 'Own rules stand in place of those of the project.',
  params: { merge_request_iid, ...newRequestRule },
  result: [201, RequestApprovalRule],
  permits: ({ platform, subject, actor }) => requests.requireOverriding(platform, subject, actor),
  run: ({ platform, subject, actor, params }) => requests.createRequestRule(platform, subject, actor, params),
})

export const requestRuleUpdate = operation({
  ...writes,
  id: 'merge_request_approval_rules.update',
  contract: 'x.mr_approval_rule_update',
  method: 'PUT',
  path: oneOfRequest,
  summary: 'Change an approval rule of a merge request',
  params: { merge_request_iid, approval_rule_id, ...requestRuleChanges },
  result: [200, RequestApprovalRule],
  permits: ({ platform, subject, actor }) => requests.requireOverriding(platform, subject, actor),
  run: ({ platform, subject, actor, params: { approval_rule_id: id, ...changes } }) =>
    requests.updateRequestRule(platform, subject, actor, id, changes),
})

export const requestRuleDelete = operation({
  ...writes,
  id: 'merge_request_approval_rules.delete',
  contract: 'x.mr_approval_rule_delete',
  method: 'DELETE',
  path: oneOfRequest,
  summary: 'Delete an approval rule of a merge request',
  params: { merge_request_iid, approval_rule_id },
  result: [204, nothing],
  permits: ({ platform, subject, actor }) => requests.requireOverriding(platform, subject, actor),
  run: ({ platform, subject, actor, params: { approval_rule_id: id }, unmodified }) =>
    requests.deleteRequestRule(platform, subject, actor, { id, unmodified }),
})

const ofGroup = '/groups/:id/approval_rules'
const readsGroup = { ...shared, subject: group, method: 'GET', allow: 'read_approval_rules', scopes: reading } as const
const writesGroup = { ...shared, subject: group, allow: 'admin_approval_rules', scopes: writing } as const

export const groupRulesList = operation({
  ...readsGroup,
  id: 'group_approval_rules.list',
  contract: 'x.group_approval_rules',
  path: ofGroup,
  summary: 'List the approval rules of a group',
  description: 'They join the rules of every project below, for merge requests into protected branches.',
  result: [200, pageOf(ApprovalRule)],
  run: ({ platform, subject, actor, page }) => groups.listGroupRules(platform, subject, actor, page),
})

export const groupRuleGet = operation({
  ...readsGroup,
  id: 'group_approval_rules.get',
  contract: 'x.group_approval_rule_get',
  path: `${ofGroup}/:approval_rule_id`,
  summary: 'Get an approval rule of a group',
  params: { approval_rule_id },
  result: [200, ApprovalRule],
  run: ({ platform, subject, actor, params }) => groups.getGroupRule(platform, subject, actor, params.approval_rule_id),
})

export const groupRuleCreate = operation({
  ...writesGroup,
  id: 'group_approval_rules.create',
  contract: 'x.group_approval_rule_create',
  method: 'POST',
  path: ofGroup,
  summary: 'Add an approval rule to a group',
  params: newGroupRule,
  result: [201, ApprovalRule],
  run: ({ platform, subject, actor, params, act }) => groups.createGroupRule(platform, subject, { actor, act }, params),
})

export const groupRuleUpdate = operation({
  ...writesGroup,
  id: 'group_approval_rules.update',
  contract: 'x.group_approval_rule_update',
  method: 'PUT',
  path: `${ofGroup}/:approval_rule_id`,
  summary: 'Change an approval rule of a group',
  params: { approval_rule_id, ...groupRuleChanges },
  result: [200, ApprovalRule],
  run: ({ platform, subject, actor, params: { approval_rule_id: id, ...changes }, act }) =>
    groups.updateGroupRule(platform, subject, { actor, act }, id, changes),
})
