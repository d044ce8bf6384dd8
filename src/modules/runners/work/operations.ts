import { header, raw, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { forJobs, jobTokenOf } from '../protocol/credentials.ts'
import { downloadArtifact, largestArtifactBytes, uploadArtifact } from './artifacts.ts'
import { updateInterval } from './heartbeat.ts'
import { patchTrace } from './trace.ts'
import { updateJob } from './updates.ts'

const shared = { tag: 'Runners', subject: forJobs, allow: 'public', scopes: 'any', ownAuthentication: true } as const
const id = t.id()
const token = t.string({ description: 'Token of the job, where the header `JOB-TOKEN` has none.' })
const text = { ...raw, mediaType: 'text/plain' } as const
const textOf = (body: string) => ({ headers: { 'Content-Type': 'text/plain' }, body })

export const runnersUpdateJob = operation({
  ...shared,
  id: 'runners.update_job',
  contract: 'x.runner_job_update',
  method: 'PUT',
  path: '/jobs/:id',
  summary: 'Report the state of a job, for runners',
  params: {
    id,
    token,
    state: t.oneOf(['running', 'success', 'failed']),
    failure_reason: t.string(),
    exit_code: t.integer(),
    checksum: t.string(),
    output: t.object({ checksum: t.string(), bytesize: t.integer() }),
  },
  result: [200, text],
  async run({ platform, request, params, setHeader }) {
    const { state, failure_reason: failureReason, exit_code: exitCode, output } = params
    const update = { state, failureReason, exitCode, traceBytes: output?.bytesize }
    const job = await updateJob(platform, params.id, jobTokenOf(request, params.token), update)
    setHeader('Job-Status', job.status)
    setHeader('X-GitLab-Trace-Update-Interval', await updateInterval(platform, job))
    return textOf('200')
  },
})

export const runnersAppendTrace = operation({
  ...shared,
  id: 'runners.append_trace',
  contract: 'x.runner_job_trace',
  method: 'PATCH',
  path: '/jobs/:id/trace',
  summary: 'Append to the log of a job, for runners',
  description: 'The header `Content-Range` has the positions of the first and the last byte.',
  bytes: true,
  params: { id },
  result: [202, text],
  answers: { 416: 'The part does not begin at the end of the log' },
  async run({ platform, request, params, setHeader }) {
    const part = {
      token: jobTokenOf(request),
      contentRange: header(request, 'content-range'),
      bytes: request.bytes ?? Buffer.alloc(0),
    }
    const { job, range } = await patchTrace(platform, params.id, part)
    setHeader('Job-Status', job.status)
    setHeader('Range', range)
    setHeader('X-GitLab-Trace-Update-Interval', await updateInterval(platform, job))
    return textOf('')
  },
})

export const runnersUploadArtifacts = operation({
  ...shared,
  id: 'runners.upload_artifacts',
  contract: 'x.runner_artifacts_upload',
  method: 'POST',
  path: '/jobs/:id/artifacts',
  summary: 'Upload artifacts of a job, for runners',
  // A file that reaches the limit of the parser counts as longer; the exact limit is checked when the file is stored.
  largestFileBytes: async (platform, path) => (await largestArtifactBytes(platform, Number(path.id))) + 1,
  params: {
    id,
    file: t.required(t.file()),
    metadata: t.file(),
    token,
    artifact_type: t.string({ blank: false, maxLength: 64, description: 'Default: `archive`.' }),
    artifact_format: t.oneOf(['zip', 'gzip', 'raw'], { description: 'Default: `zip`.' }),
    expire_in: t.string({ description: 'A duration such as `1 week`, or `never`.' }),
  },
  result: [201, text],
  async run({ platform, request, params }) {
    const { file, metadata, artifact_type: type = 'archive', artifact_format: format = 'zip', expire_in } = params
    const upload = { token: jobTokenOf(request, params.token), file, metadata, type, format, expireIn: expire_in }
    await uploadArtifact(platform, params.id, upload)
    return textOf('201')
  },
})

export const runnersDownloadArtifacts = operation({
  ...shared,
  id: 'runners.download_artifacts',
  contract: 'x.runner_artifacts_download',
  method: 'GET',
  path: '/jobs/:id/artifacts',
  summary: 'Download the artifacts of a job that another one depends on, for runners',
  params: { id, token, direct_download: t.boolean({ description: 'Has no effect.' }) },
  result: [200, { ...raw, mediaType: 'application/zip' }],
  run: ({ platform, request, params }) => downloadArtifact(platform, params.id, jobTokenOf(request, params.token)),
})
