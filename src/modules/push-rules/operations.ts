import {
  notFound,
  nothing,
  nullable,
  type Operation,
  operation,
  reading,
  requireUnmodified,
  writing,
} from '../../api/index.ts'
import type { GroupSubject } from '../groups/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import { pushRuleNames, pushRuleParams } from './params.ts'
import { GroupPushRule, PushRule, presentGroupRule, presentProjectRule } from './present.ts'
import type { PushRules } from './push-rules.ts'

const tag = 'Push rules'

function projectOperations(pushRules: PushRules, project: ProjectSubject): Operation[] {
  const shared = { tag, subject: project, path: '/projects/:id/push_rule' }
  const writes = { ...shared, allow: 'admin_push_rules' as const, scopes: writing }
  return [
    operation({
      ...shared,
      id: 'project_push_rules.get',
      contract: 'x.push_rule_get',
      method: 'GET',
      summary: 'Get the push rule of a project, or null',
      allow: 'read_push_rules',
      scopes: reading,
      result: [200, nullable(PushRule)],
      async run({ subject }) {
        const rule = await pushRules.of({ project_id: subject.id })
        return rule && presentProjectRule(rule)
      },
    }),
    operation({
      ...writes,
      id: 'project_push_rules.create',
      contract: 'x.push_rule_create',
      method: 'POST',
      summary: 'Give a project a push rule',
      params: pushRuleParams,
      result: [201, PushRule],
      run: async ({ subject, params }) =>
        presentProjectRule(await pushRules.create({ project_id: subject.id }, params)),
    }),
    operation({
      ...writes,
      id: 'project_push_rules.update',
      contract: 'x.push_rule_update',
      method: 'PUT',
      summary: 'Change the push rule of a project',
      params: pushRuleParams,
      atLeastOne: pushRuleNames,
      result: [200, PushRule],
      run: async ({ subject, params }) =>
        presentProjectRule(await pushRules.update({ project_id: subject.id }, params)),
    }),
    operation({
      ...writes,
      id: 'project_push_rules.delete',
      contract: 'x.push_rule_delete',
      method: 'DELETE',
      summary: 'Take the push rule from a project',
      result: [204, nothing],
      run: ({ subject, request }) =>
        pushRules.remove({ project_id: subject.id }, (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
  ]
}

function groupOperations(pushRules: PushRules, group: GroupSubject): Operation[] {
  const shared = { tag, subject: group, path: '/groups/:id/push_rule' }
  const writes = { ...shared, allow: 'admin_push_rules' as const, scopes: writing }
  return [
    operation({
      ...shared,
      id: 'group_push_rules.get',
      contract: 'x.gpush_rule_get',
      method: 'GET',
      summary: 'Get the push rule that a group gives to new projects',
      allow: 'read_push_rules',
      scopes: reading,
      result: [200, GroupPushRule],
      async run({ subject }) {
        const rule = await pushRules.of({ namespace_id: subject.id })
        if (!rule) throw notFound()
        return presentGroupRule(rule)
      },
    }),
    operation({
      ...writes,
      id: 'group_push_rules.create',
      contract: 'x.gpush_rule_create',
      method: 'POST',
      summary: 'Set a push rule for the new projects of a group',
      params: pushRuleParams,
      result: [201, GroupPushRule],
      run: async ({ subject, params }) =>
        presentGroupRule(await pushRules.create({ namespace_id: subject.id }, params)),
    }),
    operation({
      ...writes,
      id: 'group_push_rules.update',
      contract: 'x.gpush_rule_update',
      method: 'PUT',
      summary: 'Change the push rule for the new projects of a group',
      params: pushRuleParams,
      atLeastOne: pushRuleNames,
      result: [200, GroupPushRule],
      run: async ({ subject, params }) =>
        presentGroupRule(await pushRules.update({ namespace_id: subject.id }, params)),
    }),
    operation({
      ...writes,
      id: 'group_push_rules.delete',
      contract: 'x.gpush_rule_delete',
      method: 'DELETE',
      summary: 'Take the push rule for new projects from a group',
      result: [204, nothing],
      run: ({ subject, request }) =>
        pushRules.remove({ namespace_id: subject.id }, (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
  ]
}

type Needs = { pushRules: PushRules; project: ProjectSubject; group: GroupSubject }

/** Push rules of projects and groups (contract 22, x.push_rule_*, x.gpush_rule_*). */
export function pushRuleOperations({ pushRules, project, group }: Needs): Operation[] {
  return [...projectOperations(pushRules, project), ...groupOperations(pushRules, group)]
}
