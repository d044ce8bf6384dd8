import { pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { newStatus, statusFilter } from './params.ts'
import { CommitStatus } from './present.ts'
import { listStatuses, setStatus } from './statuses.ts'

const tag = 'Commits'

export const commitsStatuses = operation({
  id: 'commits.statuses',
  contract: 'x.commits_statuses',
  method: 'GET',
  path: '/projects/:id/repository/commits/:sha/statuses',
  tag,
  summary: 'List the statuses of a commit',
  subject: project,
  allow: 'read_code',
  scopes: reading,
  params: statusFilter,
  result: [200, pageOf(CommitStatus)],
  run: ({ platform, subject, actor, params, page }) => listStatuses(platform, subject, actor, params.sha, params, page),
})

export const commitsSetStatus = operation({
  id: 'commits.set_status',
  contract: 'x.commits_status_set',
  method: 'POST',
  path: '/projects/:id/statuses/:sha',
  tag,
  summary: 'Set a status of a commit',
  description: 'For external systems that build or check commits. The first status of a commit creates a pipeline.',
  subject: project,
  allow: 'set_commit_status',
  scopes: writing,
  jobToken: true,
  params: newStatus,
  result: [201, CommitStatus],
  run: ({ platform, subject, actor, params }) => setStatus(platform, subject, actor, params.sha, params),
})
