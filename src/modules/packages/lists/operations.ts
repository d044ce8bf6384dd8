import { pageOf, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { packageGroup, packageProject } from '../access/subjects.ts'
import { Package } from '../core/present.ts'
import { listGroupPackages, listPackages } from './lists.ts'
import { groupPackageFilter, packageFilter } from './params.ts'

const shared = { method: 'GET', tag: 'Packages', allow: 'read_packages', scopes: reading } as const

export const packagesList = operation({
  ...shared,
  id: 'packages.list',
  contract: 'x.packages_list',
  path: '/projects/:id/packages',
  summary: 'List the packages of a project',
  subject: packageProject,
  jobToken: true,
  params: packageFilter,
  result: [200, pageOf(Package)],
  run: ({ platform, subject, actor, params, page }) =>
    listPackages(platform, { project: subject, actor }, params, page),
})

export const groupPackagesList = operation({
  ...shared,
  id: 'group_packages.list',
  contract: 'x.group_packages_list',
  path: '/groups/:id/packages',
  summary: 'List the packages of the projects of a group and its subgroups',
  description: 'Projects whose packages the caller may not read are left out.',
  subject: packageGroup,
  params: groupPackageFilter,
  result: [200, pageOf(Package)],
  run: ({ platform, subject, actor, params, page }) =>
    listGroupPackages(platform, { group: subject, actor }, params, page),
})
