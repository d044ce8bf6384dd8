import {
  forms,
  notFound,
  nothing,
  type Operation,
  operation,
  pageOf,
  reading,
  requireUnmodified,
  t,
  writing,
} from '../../api/index.ts'
import type { ProjectSubject } from '../projects/index.ts'
import type { Branches } from './branches.ts'
import { Branch } from './present.ts'

const tag = 'Branches'

export function branchOperations({ branches, project }: { branches: Branches; project: ProjectSubject }): Operation[] {
  return [
    operation({
      id: 'branches.list',
      contract: '1.11',
      method: 'GET',
      path: '/projects/:id/repository/branches',
      tag,
      summary: 'List the branches of a repository',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      params: {
        search: t.string({ description: 'Part of the name; `^` and `$` anchor it, `*` stands for anything.' }),
        regex: t.string({ description: 'RE2 pattern that the name must match.' }),
        sort: t.oneOf(['name', 'name_asc', 'updated_asc', 'updated_desc']),
      },
      list: { pageToken: true },
      result: [200, pageOf(Branch)],
      run: ({ subject, actor, params, page }) => branches.list(subject, actor, params, page),
    }),
    operation({
      id: 'branches.get',
      contract: '1.12',
      method: 'GET',
      path: '/projects/:id/repository/branches/:branch',
      tag,
      summary: 'Get a branch',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      result: [200, Branch],
      run: ({ subject, actor, request }) => branches.get(subject, actor, request.path.branch ?? ''),
    }),
    operation({
      id: 'branches.exists',
      contract: 'x.branch_exists',
      method: 'HEAD',
      path: '/projects/:id/repository/branches/:branch',
      tag,
      summary: 'Ask whether a branch exists',
      subject: project,
      allow: 'read_code',
      scopes: reading,
      result: [204, nothing],
      async run({ subject, request }) {
        if (!(await branches.exists(subject, request.path.branch ?? ''))) throw notFound('Branch')
      },
    }),
    operation({
      id: 'branches.create',
      contract: '1.13',
      method: 'POST',
      path: '/projects/:id/repository/branches',
      tag,
      summary: 'Create a branch from a branch, tag or commit',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      params: {
        branch: t.required(t.string({ blank: false, description: 'Name of the new branch.' })),
        ref: t.required(t.string({ blank: false, description: 'Branch, tag or commit to start from.' })),
      },
      result: [201, Branch],
      run: ({ subject, actor, params }) => branches.create(subject, actor, params.branch, params.ref),
    }),
    operation({
      id: 'branches.delete',
      contract: '1.14',
      method: 'DELETE',
      path: '/projects/:id/repository/branches/:branch',
      tag,
      summary: 'Delete a branch',
      subject: project,
      allow: 'push_code',
      scopes: writing,
      result: [204, nothing],
      run: ({ subject, actor, request }) =>
        branches.remove(subject, actor, request.path.branch ?? '', (authoredAt) =>
          requireUnmodified(request, authoredAt),
        ),
    }),
    operation({
      id: 'branches.protect',
      contract: 'x.branch_protect',
      method: 'PUT',
      path: '/projects/:id/repository/branches/:branch/protect',
      tag,
      summary: 'Protect a branch',
      subject: project,
      allow: 'admin_protected_branches',
      scopes: writing,
      params: {
        developers_can_push: t.boolean({ description: 'Absent: as it is, at first not.' }),
        developers_can_merge: t.boolean({ description: 'Absent: as it is, at first not.' }),
      },
      result: [200, Branch],
      run: ({ subject, actor, params, request }) => branches.protect(subject, actor, request.path.branch ?? '', params),
    }),
    operation({
      id: 'branches.unprotect',
      contract: 'x.branch_unprotect',
      method: 'PUT',
      path: '/projects/:id/repository/branches/:branch/unprotect',
      tag,
      summary: 'Remove the protection of a branch',
      subject: project,
      allow: 'admin_protected_branches',
      scopes: writing,
      result: [200, Branch],
      run: ({ subject, actor, request }) => branches.unprotect(subject, actor, request.path.branch ?? ''),
    }),
    operation({
      id: 'branches.delete_merged',
      contract: '1.15',
      method: 'DELETE',
      path: '/projects/:id/repository/merged_branches',
      tag,
      summary: 'Delete the branches that are merged into the default branch',
      subject: project,
      allow: 'delete_merged_branches',
      scopes: writing,
      result: [202, forms.accepted],
      async run({ subject, actor }) {
        await branches.removeMergedLater(subject, actor)
        return { message: '202 Accepted' }
      },
    }),
  ]
}
