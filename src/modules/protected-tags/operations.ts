import { nothing, type Operation, operation, pageOf, reading, requireUnmodified, t, writing } from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import { entriesParam } from '../protected-branches/index.ts'
import { ProtectedTag } from './present.ts'
import type { TagRules } from './rules.ts'

const levels = [0, 30, 40]

export type TagRuleNeeds = { rules: TagRules; project: ProjectSubject }

/** The rules that protect tags of a project (contract 01, x.protected_tag_*). */
export function protectedTagOperations({ rules, project }: TagRuleNeeds): Operation[] {
  const shared = { tag: 'Protected tags', subject: project }
  const all = { ...shared, path: '/projects/:id/protected_tags' }
  const one = { ...shared, path: '/projects/:id/protected_tags/:name' }
  return [
    operation({
      ...all,
      id: 'protected_tags.list',
      contract: 'x.protected_tag_list',
      method: 'GET',
      summary: 'List the rules that protect tags',
      allow: 'read_protected_tags',
      scopes: reading,
      result: [200, pageOf(ProtectedTag)],
      run: ({ subject, page }) => rules.list(subject, page),
    }),
    operation({
      ...one,
      id: 'protected_tags.get',
      contract: 'x.protected_tag_get',
      method: 'GET',
      summary: 'Get a rule that protects tags',
      allow: 'read_protected_tags',
      scopes: reading,
      result: [200, ProtectedTag],
      run: ({ subject, request }) => rules.get(subject, request.path.name ?? ''),
    }),
    operation({
      ...all,
      id: 'protected_tags.create',
      contract: 'x.protected_tag_create',
      method: 'POST',
      summary: 'Protect a tag, or several by a wildcard',
      allow: 'admin_protected_tags',
      scopes: writing,
      params: {
        name: t.required(t.string({ description: 'A tag, or several by `*`.' })),
        create_access_level: t.integerOf(levels, { description: 'Default 40.' }),
        allowed_to_create: entriesParam(levels, { keys: true }),
      },
      result: [201, ProtectedTag],
      run: ({ subject, params }) => rules.create(subject, params),
    }),
    operation({
      ...one,
      id: 'protected_tags.delete',
      contract: 'x.protected_tag_delete',
      method: 'DELETE',
      summary: 'Remove a rule that protects tags',
      allow: 'admin_protected_tags',
      scopes: writing,
      result: [204, nothing],
      run: ({ subject, request }) =>
        rules.remove(subject, request.path.name ?? '', (updatedAt) => requireUnmodified(request, updatedAt)),
    }),
  ]
}
