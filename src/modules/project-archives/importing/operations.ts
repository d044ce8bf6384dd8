import { type Actor, instance, notFound, reading, writing } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { type Project, type ProjectRow, project, today, withRole } from '../../projects/index.ts'
import { largestArchive } from '../../transfer-archives/index.ts'
import { fileParams, remoteParams, s3Params } from './params.ts'
import { importRemote, importUploaded } from './start.ts'
import { ImportStatus, importStatus } from './status.ts'

async function statusOf(platform: Platform, row: ProjectRow, actor: Actor) {
  const found: Project = await withRole(platform.database.read, row, actor, today(platform))
  return importStatus(platform, found, actor)
}

const shared = {
  method: 'POST',
  tag: 'Project archives',
  subject: instance,
  allow: 'authenticated',
  scopes: writing,
  result: [201, ImportStatus],
} as const

export const projectImport = operation({
  ...shared,
  id: 'project_import.create',
  contract: 'x.project_import',
  path: '/projects/import',
  summary: 'Import a project from an archive',
  description: 'The project exists when the answer goes out; a job fills it.',
  params: fileParams,
  largestFileBytes: largestArchive,
  async run({ platform, actor, request, params: { file, ...destination } }) {
    return statusOf(platform, await importUploaded(platform, { actor, request }, file, destination), actor)
  },
})

export const projectImportRemote = operation({
  ...shared,
  id: 'project_import.remote',
  contract: 'x.project_import_remote',
  path: '/projects/remote-import',
  summary: 'Import a project from an archive at an address',
  params: remoteParams,
  async run({ platform, actor, request, params: { url, ...destination } }) {
    if (!(await isFeatureOn(platform, 'import_project_from_remote_file'))) throw notFound()
    const source = { kind: 'url' as const, url }
    return statusOf(platform, await importRemote(platform, { actor, request }, source, destination), actor)
  },
})

export const projectImportS3 = operation({
  ...shared,
  id: 'project_import.s3',
  contract: 'x.project_import_s3',
  path: '/projects/remote-import-s3',
  summary: 'Import a project from an archive in a bucket of S3',
  params: s3Params,
  async run({ platform, actor, request, params }) {
    if (!(await isFeatureOn(platform, 'import_project_from_remote_file_s3'))) throw notFound()
    const { region, bucket_name, file_key, access_key_id, secret_access_key, ...destination } = params
    const keys = { accessKeyId: access_key_id, secretAccessKey: secret_access_key }
    const source = { kind: 's3' as const, region, bucket: bucket_name, key: file_key, ...keys }
    return statusOf(platform, await importRemote(platform, { actor, request }, source, destination), actor)
  },
})

export const projectImportGet = operation({
  id: 'project_import.get',
  contract: 'x.project_import_get',
  method: 'GET',
  path: '/projects/:id/import',
  tag: 'Project archives',
  summary: 'Get the state of the import of a project',
  description: 'Why it has failed, and what could not be imported, only Maintainers see.',
  subject: project,
  allow: 'read_project',
  scopes: reading,
  result: [200, ImportStatus],
  run: ({ platform, subject, actor }) => importStatus(platform, subject, actor),
})
