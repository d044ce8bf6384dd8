import { nothing, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { packageProject } from '../access/subjects.ts'
import { package_id } from '../core/params.ts'
import { deleteFile, listFiles, requireFile } from './files.ts'
import { PackageFile } from './present.ts'
import { packageFileAnswers, packageFileBytes, servePackageFile } from './serving.ts'

const shared = { tag: 'Packages', subject: packageProject, jobToken: true } as const
const read = { ...shared, method: 'GET', allow: 'read_packages', scopes: reading } as const
const package_file_id = t.id()

export const packageFilesList = operation({
  ...read,
  id: 'package_files.list',
  contract: 'x.package_files_list',
  path: '/projects/:id/packages/:package_id/package_files',
  summary: 'List the files of a package',
  params: {
    package_id,
    order_by: t.oneOf(['id', 'created_at', 'file_name'], { description: 'Default: `id`.' }),
    sort: t.oneOf(['asc', 'desc'], { description: 'Default: `asc`.' }),
  },
  result: [200, pageOf(PackageFile)],
  run: ({ platform, subject, params: { package_id: packageId, ...order }, page }) =>
    listFiles(platform, subject, { packageId, ...order }, page),
})

export const packageFilesDownload = operation({
  ...read,
  id: 'package_files.download',
  contract: 'x.package_files_download',
  path: '/projects/:id/packages/:package_id/package_files/:package_file_id/download',
  summary: 'Download a file of a package',
  params: { package_id, package_file_id },
  result: [200, packageFileBytes],
  answers: packageFileAnswers,
  async run({ platform, subject, params, request, setStatus }) {
    const named = { packageId: params.package_id, fileId: params.package_file_id }
    return servePackageFile(platform, { request, setStatus }, await requireFile(platform, subject, named))
  },
})

export const packageFilesDelete = operation({
  ...shared,
  id: 'package_files.delete',
  contract: 'x.package_files_delete',
  method: 'DELETE',
  path: '/projects/:id/packages/:package_id/package_files/:package_file_id',
  summary: 'Delete a file of a package',
  description: 'An older file of the same name is served then. The last file leaves the package empty.',
  allow: 'delete_packages',
  scopes: writing,
  params: { package_id, package_file_id },
  result: [204, nothing],
  run: ({ platform, subject, actor, params, unmodified }) =>
    deleteFile(platform, subject, actor, { packageId: params.package_id, fileId: params.package_file_id, unmodified }),
})
