import { forms, notFound, nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import {
  branchExists,
  createBranch,
  deleteBranch,
  getBranch,
  listBranches,
  protectBranch,
  unprotectBranch,
} from './branches.ts'
import { deleteMergedLater } from './merged.ts'
import { branchFilter, newBranch } from './params.ts'
import { Branch } from './present.ts'

const tag = 'Branches'

export const branchesList = operation({
  id: 'branches.list',
  contract: '1.11',
  method: 'GET',
  path: '/projects/:id/repository/branches',
  tag,
  summary: 'List the branches of a repository',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  params: branchFilter,
  list: { pageToken: true },
  result: [200, pageOf(Branch)],
  run: ({ platform, subject, actor, params, page }) => listBranches(platform, subject, actor, params, page),
})

export const branchesGet = operation({
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
  run: ({ platform, subject, actor, params }) => getBranch(platform, subject, actor, params.branch),
})

export const branchesExists = operation({
  id: 'branches.exists',
  contract: 'x.branch_exists',
  method: 'HEAD',
  path: '/projects/:id/repository/branches/:branch',
  tag,
  summary: 'Check whether a branch exists',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  result: [204, nothing],
  async run({ platform, subject, params }) {
    if (!(await branchExists(platform, subject, params.branch))) throw notFound('Branch')
  },
})

export const branchesCreate = operation({
  id: 'branches.create',
  contract: '1.13',
  method: 'POST',
  path: '/projects/:id/repository/branches',
  tag,
  summary: 'Create a branch from a branch, tag or commit',
  subject: project,
  allow: 'push_code',
  scopes: writing,
  params: newBranch,
  result: [201, Branch],
  run: ({ platform, subject, actor, params }) => createBranch(platform, subject, actor, params),
})

export const branchesDelete = operation({
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
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteBranch(platform, subject, actor, params.branch, unmodified),
})

export const branchesProtect = operation({
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
  run: ({ platform, subject, actor, params: { branch, ...rule } }) =>
    protectBranch(platform, subject, actor, branch, rule),
})

export const branchesUnprotect = operation({
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
  run: ({ platform, subject, actor, params }) => unprotectBranch(platform, subject, actor, params.branch),
})

export const branchesDeleteMerged = operation({
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
  async run({ platform, subject, actor }) {
    await deleteMergedLater(platform, subject, actor)
    return { message: '202 Accepted' }
  },
})
