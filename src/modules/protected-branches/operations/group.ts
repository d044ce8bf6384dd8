import {
  type Actor,
  isAdministrator,
  notFound,
  nothing,
  type Operation,
  operation,
  pageOf,
  parameterError,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../../api/index.ts'
import type { Group, GroupSubject } from '../../groups/index.ts'
import type { Claimant } from '../judging.ts'
import { ProtectedBranch } from '../present.ts'
import type { BranchRules } from '../rules.ts'
import type { RulePlace } from '../store/rules.ts'
import { newRuleParams, ruleChangeParams } from './params.ts'

export type GroupRuleNeeds = { rules: BranchRules; group: GroupSubject }

/** @throws ApiError 404 for a subgroup: only groups at the top have rules */
function placeOf(group: Group): RulePlace {
  if (group.parent_id !== null) throw notFound()
  return { kind: 'group', id: group.id, namespaceId: group.id }
}

function claimantOf(actor: Actor, group: Group): Claimant {
  const userId = actor.kind === 'user' ? actor.userId : null
  return { userId, level: group.level, administrator: isAdministrator(actor) }
}

/** The rules of a top-level group, which hold in every project below (contract 01, x.group_protected_branch_*). */
export function groupRuleOperations({ rules, group }: GroupRuleNeeds): Operation[] {
  const shared = { tag: 'Protected branches', subject: group }
  const all = { ...shared, path: '/groups/:id/protected_branches' }
  const one = { ...shared, path: '/groups/:id/protected_branches/:name' }
  return [
    operation({
      ...all,
      id: 'group_protected_branches.list',
      contract: 'x.group_protected_branch_list',
      method: 'GET',
      summary: 'List the rules of a group that protect branches',
      allow: 'read_protected_branches',
      scopes: reading,
      params: { search: t.string({ description: 'Part of the name of the rule.' }) },
      result: [200, pageOf(ProtectedBranch)],
      run: async ({ subject, params, page }) => rules.list(placeOf(subject), params.search, page),
    }),
    operation({
      ...one,
      id: 'group_protected_branches.get',
      contract: 'x.group_protected_branch_get',
      method: 'GET',
      summary: 'Get a rule of a group that protects branches',
      allow: 'read_protected_branches',
      scopes: reading,
      result: [200, ProtectedBranch],
      run: async ({ subject, request }) => rules.get(placeOf(subject), request.path.name ?? ''),
    }),
    operation({
      ...all,
      id: 'group_protected_branches.create',
      contract: 'x.group_protected_branch_create',
      method: 'POST',
      summary: 'Protect branches in every project of a group',
      allow: 'admin_protected_branches',
      scopes: writing,
      params: newRuleParams(false),
      result: [201, ProtectedBranch],
      run: async ({ subject, params }) => rules.create(placeOf(subject), params),
    }),
    operation({
      ...one,
      id: 'group_protected_branches.update',
      contract: 'x.group_protected_branch_update',
      method: 'PATCH',
      summary: 'Change a rule of a group that protects branches',
      allow: 'admin_protected_branches',
      scopes: writing,
      params: ruleChangeParams(false),
      result: [200, ProtectedBranch],
      run: async ({ subject, actor, params: { allow_force_push, ...lists }, request }) => {
        if (allow_force_push === null) throw parameterError('allow_force_push', 'is empty')
        const who = claimantOf(actor, subject)
        return rules.update(placeOf(subject), who, request.path.name ?? '', { ...lists, allow_force_push })
      },
    }),
    operation({
      ...one,
      id: 'group_protected_branches.delete',
      contract: 'x.group_protected_branch_delete',
      method: 'DELETE',
      summary: 'Remove a rule of a group that protects branches',
      allow: 'admin_protected_branches',
      scopes: writing,
      result: [204, nothing],
      run: async ({ subject, actor, request }) =>
        rules.remove(placeOf(subject), claimantOf(actor, subject), request.path.name ?? '', (updatedAt) =>
          requireUnmodified(request, updatedAt),
        ),
    }),
  ]
}
