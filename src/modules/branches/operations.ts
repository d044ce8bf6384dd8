import { forms, notFound, nothing, pageOf, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { project } from '../projects/index.ts'
import * as branches from './branches.ts'
import { deleteMergedLater } from './merged.ts'
import { branchFilter, newBranch } from './params.ts'
import { Branch } from './present.ts'

const path = '/projects/:id/repository/branches'
const reads = { method: 'GET', tag: 'Branches', subject: project, allow: 'read_code', scopes: reading } as const
const writes = { tag: 'Branches', subject: project, allow: 'push_code', scopes: writing } as const
const protects = { ...writes, method: 'PUT', allow: 'admin_protected_branches' } as const

export const branchesList = operation({
  ...reads,
  id: 'branches.list',
  contract: '1.11',
  jobToken: true,
  path,
  summary: 'List the branches of a repository',
  params: branchFilter,
  list: { pageToken: true },
  result: [200, pageOf(Branch)],
  run: ({ platform, subject, actor, params, page }) => branches.listBranches(platform, subject, actor, params, page),
})

export const branchesGet = operation({
  ...reads,
  id: 'branches.get',
  contract: '1.12',
  jobToken: true,
  path: `${path}/:branch`,
  summary: 'Get a branch',
  result: [200, Branch],
  run: ({ platform, subject, actor, params }) => branches.getBranch(platform, subject, actor, params.branch),
})

export const branchesExists = operation({
  ...reads,
  id: 'branches.exists',
  contract: 'x.branch_exists',
  method: 'HEAD',
  path: `${path}/:branch`,
  summary: 'Check whether a branch exists',
  result: [204, nothing],
  async run({ platform, subject, params }) {
    if (!(await branches.branchExists(platform, subject, params.branch))) throw notFound('Branch')
  },
})

export const branchesCreate = operation({
  ...writes,
  id: 'branches.create',
  contract: '1.13',
  method: 'POST',
  path,
  summary: 'Create a branch from a branch, tag or commit',
  params: newBranch,
  result: [201, Branch],
  run: ({ platform, subject, actor, params }) => branches.createBranch(platform, subject, actor, params),
})

export const branchesDelete = operation({
  ...writes,
  id: 'branches.delete',
  contract: '1.14',
  method: 'DELETE',
  path: `${path}/:branch`,
  summary: 'Delete a branch',
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    branches.deleteBranch(platform, subject, actor, params.branch, unmodified),
})

export const branchesProtect = operation({
  ...protects,
  id: 'branches.protect',
  contract: 'x.branch_protect',
  path: `${path}/:branch/protect`,
  summary: 'Protect a branch',
  params: {
    developers_can_push: t.boolean({ description: 'Absent: as it is, at first not.' }),
    developers_can_merge: t.boolean({ description: 'Absent: as it is, at first not.' }),
  },
  result: [200, Branch],
  run: ({ platform, subject, actor, params: { branch: name, ...rule }, act }) =>
    branches.protectBranch(platform, subject, actor, { name, ...rule }, act),
})

export const branchesUnprotect = operation({
  ...protects,
  id: 'branches.unprotect',
  contract: 'x.branch_unprotect',
  path: `${path}/:branch/unprotect`,
  summary: 'Remove the protection of a branch',
  result: [200, Branch],
  run: ({ platform, subject, actor, params, act }) =>
    branches.unprotectBranch(platform, subject, actor, params.branch, act),
})

export const branchesDeleteMerged = operation({
  ...writes,
  id: 'branches.delete_merged',
  contract: '1.15',
  method: 'DELETE',
  path: '/projects/:id/repository/merged_branches',
  summary: 'Delete the branches that are merged into the default branch',
  allow: 'delete_merged_branches',
  result: [202, forms.accepted],
  async run({ platform, subject, actor }) {
    await deleteMergedLater(platform, subject, actor)
    return { message: '202 Accepted' }
  },
})
