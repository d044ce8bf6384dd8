import { notFound, nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup, type ProjectOrGroup } from '../../projects/index.ts'
import { ruleChangerOf } from '../access/principal.ts'
import { type RuleOwner, ruleOwnerOf } from '../store/rules.ts'
import { newRule, ruleChanges, ruleFilter } from './params.ts'
import { ProtectedBranch } from './present.ts'
import { createRule, deleteRule, getRule, listRules, updateRule } from './rules.ts'

/** @throws ApiError 404 for a subgroup: only top-level groups have rules */
function ownerOf({ project, group }: ProjectOrGroup): RuleOwner {
  if (project) return ruleOwnerOf(project)
  if (group.parent_id !== null) throw notFound()
  return { kind: 'group', id: group.id, namespaceId: group.id }
}

/** Rules of projects, and of top-level groups for all projects below them (contract 1.17–1.21, x.group_protected_branch_*). */
export const protectedBranchOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const isProject = kind === 'project'
  const prefix = isProject ? 'protected_branches' : 'group_protected_branches'
  const contract = (ofProject: string, name: string) => (isProject ? ofProject : `x.group_protected_branch_${name}`)
  const where = isProject ? 'of a project' : 'of a group'
  const read = { allow: 'read_protected_branches', scopes: reading } as const
  const write = { allow: 'admin_protected_branches', scopes: writing } as const
  const shared = { ...(isProject ? {} : ({ tier: 'premium' } as const)), tag: 'Protected branches', subject }
  const all = { ...shared, path: `${path}/protected_branches` } as const
  const one = { ...shared, path: `${path}/protected_branches/:name` } as const
  return [
    operation({
      ...all,
      id: `${prefix}.list`,
      contract: contract('1.17', 'list'),
      method: 'GET',
      summary: `List the rules ${where} that protect branches`,
      ...read,
      params: ruleFilter,
      result: [200, pageOf(ProtectedBranch)],
      run: ({ platform, subject, params, page }) => listRules(platform, ownerOf(subject), params.search, page),
    }),
    operation({
      ...one,
      id: `${prefix}.get`,
      contract: contract('1.18', 'get'),
      method: 'GET',
      summary: `Get a rule ${where} that protects branches`,
      ...read,
      result: [200, ProtectedBranch],
      run: ({ platform, subject, params }) => getRule(platform, ownerOf(subject), params.name),
    }),
    operation({
      ...all,
      id: `${prefix}.create`,
      contract: contract('1.19', 'create'),
      method: 'POST',
      summary: isProject
        ? 'Protect a branch, or several by a wildcard'
        : 'Protect branches in every project of a group',
      ...write,
      params: newRule(isProject),
      result: [201, ProtectedBranch],
      run: ({ platform, subject, params, act }) => createRule(platform, ownerOf(subject), params, act),
    }),
    operation({
      ...one,
      id: `${prefix}.update`,
      contract: contract('1.21', 'update'),
      method: 'PATCH',
      summary: `Change a rule ${where} that protects branches`,
      ...write,
      params: ruleChanges(isProject),
      result: [200, ProtectedBranch],
      run: ({ platform, subject, actor, params: { name, ...changes }, act }) =>
        updateRule(platform, ownerOf(subject), ruleChangerOf(actor, subject.kind, subject), { name, changes, act }),
    }),
    operation({
      ...one,
      id: `${prefix}.delete`,
      contract: contract('1.20', 'delete'),
      method: 'DELETE',
      summary: `Remove a rule ${where} that protects branches`,
      ...write,
      result: [204, nothing],
      run: ({ platform, subject, actor, params: { name }, unmodified, act }) =>
        deleteRule(platform, ownerOf(subject), ruleChangerOf(actor, subject.kind, subject), { name, unmodified, act }),
    }),
  ]
})
