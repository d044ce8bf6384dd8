import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { packageProject } from '../access/subjects.ts'
import { deletePackage, getPackage } from './packages.ts'
import { package_id } from './params.ts'
import { listPipelines } from './pipelines.ts'
import { PackagePipeline, SinglePackage } from './present.ts'

const shared = { tag: 'Packages', subject: packageProject, jobToken: true, params: { package_id } } as const
const read = { ...shared, method: 'GET', allow: 'read_packages', scopes: reading } as const

export const packagesGet = operation({
  ...read,
  id: 'packages.get',
  contract: 'x.packages_get',
  path: '/projects/:id/packages/:package_id',
  summary: 'Get a package with the other versions of its name',
  result: [200, SinglePackage],
  run: ({ platform, subject, actor, params }) => getPackage(platform, subject, actor, params.package_id),
})

export const packagesPipelines = operation({
  ...read,
  id: 'packages.pipelines',
  contract: 'x.packages_pipelines',
  path: '/projects/:id/packages/:package_id/pipelines',
  summary: 'List the pipelines whose jobs published into a package',
  list: { keyset: { id: ['desc'] }, keysetOnly: { largestPage: 20 } },
  result: [200, pageOf(PackagePipeline)],
  run: ({ platform, subject, actor, params, page }) =>
    listPipelines(platform, { project: subject, actor }, params.package_id, page),
})

export const packagesDelete = operation({
  ...shared,
  id: 'packages.delete',
  contract: 'x.packages_delete',
  method: 'DELETE',
  path: '/projects/:id/packages/:package_id',
  summary: 'Delete a package with its files',
  description: 'Its name and version can be published again at once.',
  allow: 'delete_packages',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    deletePackage(platform, subject, actor, { id: params.package_id, unmodified }),
})
