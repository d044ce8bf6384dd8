import {
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
import type { ProjectSubject } from '../../projects/index.ts'
import { ProtectedBranch } from '../present.ts'
import { claimantOf, placeOf } from '../protection.ts'
import type { BranchRules } from '../rules.ts'
import { newRuleParams, ruleChangeParams } from './params.ts'

export type ProjectRuleNeeds = { rules: BranchRules; project: ProjectSubject }

/** The rules of a project (contract 1.17–1.21). */
export function projectRuleOperations({ rules, project }: ProjectRuleNeeds): Operation[] {
  const shared = { tag: 'Protected branches', subject: project }
  const all = { ...shared, path: '/projects/:id/protected_branches' }
  const one = { ...shared, path: '/projects/:id/protected_branches/:name' }
  return [
    operation({
      ...all,
      id: 'protected_branches.list',
      contract: '1.17',
      method: 'GET',
      summary: 'List the rules that protect branches',
      allow: 'read_protected_branches',
      scopes: reading,
      params: { search: t.string({ description: 'Part of the name of the rule.' }) },
      result: [200, pageOf(ProtectedBranch)],
      run: ({ subject, params, page }) => rules.list(placeOf(subject), params.search, page),
    }),
    operation({
      ...one,
      id: 'protected_branches.get',
      contract: '1.18',
      method: 'GET',
      summary: 'Get a rule that protects branches',
      allow: 'read_protected_branches',
      scopes: reading,
      result: [200, ProtectedBranch],
      run: ({ subject, request }) => rules.get(placeOf(subject), request.path.name ?? ''),
    }),
    operation({
      ...all,
      id: 'protected_branches.create',
      contract: '1.19',
      method: 'POST',
      summary: 'Protect a branch, or several by a wildcard',
      allow: 'admin_protected_branches',
      scopes: writing,
      params: newRuleParams(true),
      result: [201, ProtectedBranch],
      run: ({ subject, params }) => rules.create(placeOf(subject), params),
    }),
    operation({
      ...one,
      id: 'protected_branches.update',
      contract: '1.21',
      method: 'PATCH',
      summary: 'Change a rule that protects branches',
      allow: 'admin_protected_branches',
      scopes: writing,
      params: ruleChangeParams(true),
      result: [200, ProtectedBranch],
      run: ({ subject, actor, params: { allow_force_push, ...lists }, request }) => {
        if (allow_force_push === null) throw parameterError('allow_force_push', 'is empty')
        const who = claimantOf(actor, subject)
        return rules.update(placeOf(subject), who, request.path.name ?? '', { ...lists, allow_force_push })
      },
    }),
    operation({
      ...one,
      id: 'protected_branches.delete',
      contract: '1.20',
      method: 'DELETE',
      summary: 'Remove a rule that protects branches',
      allow: 'admin_protected_branches',
      scopes: writing,
      result: [204, nothing],
      run: ({ subject, actor, request }) =>
        rules.remove(placeOf(subject), claimantOf(actor, subject), request.path.name ?? '', (updatedAt) =>
          requireUnmodified(request, updatedAt),
        ),
    }),
  ]
}
