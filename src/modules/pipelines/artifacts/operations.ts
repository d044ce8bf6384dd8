import { forms, nothing, pageOf, raw, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { jobId } from '../jobs/params.ts'
import { JobObject } from '../jobs/present.ts'
import * as changes from './changes.ts'
import * as downloads from './downloads.ts'
import { ArtifactEntry, listEntries } from './entries.ts'

const path = '/projects/:id/jobs/:job_id/artifacts'
const ofRef = '/projects/:id/jobs/artifacts/:ref_name'
const shared = { tag: 'Job artifacts', subject: project } as const
const reads = {
  ...shared,
  method: 'GET',
  allow: 'read_pipelines',
  scopes: reading,
  jobToken: true,
} as const
const archive = { ...raw, mediaType: 'application/zip' } as const
const file = { ...raw, mediaType: ['text/plain', 'application/octet-stream'] } as const
const jobName = { job: t.required(t.string({ blank: false, description: 'Name of the job.' })) }

export const jobArtifactsGet = operation({
  ...reads,
  id: 'job_artifacts.download',
  contract: 'x.job_artifacts_get',
  path,
  summary: 'Download the artifacts of a job as an archive',
  params: jobId,
  result: [200, archive],
  run: ({ platform, subject, actor, params }) => downloads.downloadArchive(platform, subject, actor, params.job_id),
})

export const jobArtifactsFile = operation({
  ...reads,
  id: 'job_artifacts.download_file',
  contract: 'x.job_artifacts_file',
  path: `${path}/:artifact_path`,
  spanning: ['artifact_path'],
  summary: 'Download one file of the artifacts of a job',
  params: jobId,
  result: [200, file],
  run: ({ platform, subject, actor, params }) =>
    downloads.downloadFile(platform, subject, actor, params.job_id, params.artifact_path),
})

export const jobArtifactsTree = operation({
  ...reads,
  id: 'job_artifacts.tree',
  contract: 'x.job_artifacts_tree',
  path: `${path}/tree`,
  summary: 'List the files and directories of a folder of the artifacts of a job',
  params: {
    ...jobId,
    path: t.string({ description: 'The folder; default: the root.' }),
    recursive: t.boolean({ description: 'With all that is below. Default false.' }),
  },
  result: [200, pageOf(ArtifactEntry)],
  run: ({ platform, subject, actor, params: { job_id: id, path: folder = '', recursive: isWhole = false }, page }) =>
    listEntries(platform, subject, actor, { jobId: id, path: folder, isWhole }, page),
})

export const jobArtifactsByRef = operation({
  ...reads,
  id: 'job_artifacts.download_by_ref',
  contract: 'x.job_artifacts_by_ref',
  path: `${ofRef}/download`,
  spanning: ['ref_name'],
  summary: 'Download the artifacts of a job of the newest successful pipeline of a branch or tag',
  params: jobName,
  result: [200, archive],
  run: ({ platform, subject, actor, params: { ref_name: ref, job } }) =>
    downloads.downloadArchiveOfRef(platform, subject, actor, { ref, job }),
})

export const jobArtifactsFileByRef = operation({
  ...reads,
  id: 'job_artifacts.download_file_by_ref',
  contract: 'x.job_artifacts_file_by_ref',
  path: `${ofRef}/raw/:artifact_path`,
  spanning: ['ref_name', 'artifact_path'],
  summary: 'Download one file of the artifacts of the newest successful pipeline of a branch or tag',
  params: jobName,
  result: [200, file],
  run: ({ platform, subject, actor, params: { ref_name: ref, job, artifact_path } }) =>
    downloads.downloadFileOfRef(platform, subject, actor, { ref, job, path: artifact_path }),
})

export const jobArtifactsKeep = operation({
  ...shared,
  id: 'job_artifacts.keep',
  contract: 'x.job_artifacts_keep',
  method: 'POST',
  path: `${path}/keep`,
  summary: 'Keep the artifacts of a job for ever',
  allow: 'run_pipelines',
  scopes: writing,
  params: jobId,
  result: [200, JobObject],
  run: ({ platform, subject, actor, params }) => changes.keepArtifacts(platform, subject, actor, params.job_id),
})

const deletes = { ...shared, method: 'DELETE', allow: 'delete_artifacts', scopes: writing } as const

export const jobArtifactsDelete = operation({
  ...deletes,
  id: 'job_artifacts.delete',
  contract: 'x.job_artifacts_delete',
  path,
  summary: 'Delete the artifacts of a job',
  description: 'The log of the job stays.',
  params: jobId,
  result: [204, nothing],
  run: ({ platform, subject, params }) => changes.deleteArtifacts(platform, subject, params.job_id),
})

export const projectArtifactsDelete = operation({
  ...deletes,
  id: 'job_artifacts.delete_of_project',
  contract: 'x.project_artifacts_delete',
  path: '/projects/:id/artifacts',
  summary: 'Delete the artifacts of a project',
  description: 'Those of the newest successful pipeline of each branch and tag stay, and so do all logs.',
  result: [202, forms.accepted],
  async run({ platform, subject }) {
    await changes.deleteProjectArtifacts(platform, subject)
    return { message: '202 Accepted' }
  },
})
