import { t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { JobPayload } from '../payload/schema.ts'
import { forRunners } from '../protocol/credentials.ts'
import { credentials, info } from '../protocol/params.ts'
import { requestJob } from './job-request.ts'

export const runnersRequestJob = operation({
  id: 'runners.request_job',
  contract: 'x.runner_job_request',
  method: 'POST',
  path: '/jobs/request',
  tag: 'Runners',
  summary: 'Take a job, for runners',
  subject: forRunners,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  params: {
    ...credentials,
    info,
    last_update: t.string({ description: '`X-GitLab-Last-Update` of the previous answer.' }),
    job_age: t.integer({ description: 'Only jobs that have waited for so many seconds.' }),
  },
  result: [201, JobPayload],
  answers: { 204: 'No job' },
  async run({ platform, params, request: { ip }, setStatus, setHeader }) {
    const { token, system_id: systemId, info, last_update: lastUpdate, job_age: jobAgeSeconds } = params
    const answer = await requestJob(platform, { token, visitor: { systemId, ip, info }, lastUpdate, jobAgeSeconds })
    if (answer.job) return answer.job
    setStatus(204)
    setHeader('X-GitLab-Last-Update', answer.lastUpdate)
    return undefined as never
  },
})
