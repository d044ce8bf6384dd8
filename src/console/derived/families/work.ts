import type { Page } from '../../page.ts'
import { family } from '../family.ts'

const ofBranches = ['branches.list', 'name', 'name'] as const

/** What people work on in projects and groups. Each is one value. */
export const familiesOfWork: readonly (readonly Page[])[] = [
  family({
    at: 'project',
    path: 'merge_requests',
    section: 'Code',
    title: 'Merge requests',
    one: 'merge request',
    operations: 'merge_requests',
    others: { list: 'project_merge_requests.list' },
    key: ['iid', 'merge_request_iid'],
    columns: ['title', 'state', 'source_branch', 'target_branch', 'author', 'updated_at'],
    filters: ['search', 'state'],
    fields: [
      ...['title', 'source_branch', 'target_branch', 'description', 'labels'],
      ...['squash', 'remove_source_branch', 'state_event'],
    ],
    choices: { source_branch: ofBranches, target_branch: ofBranches },
    actions: [
      { operation: 'merge_requests.merge', label: 'Merge' },
      { operation: 'merge_request_approvals.approve', label: 'Approve' },
      { operation: 'merge_requests.rebase', label: 'Rebase' },
    ],
    opens: true,
    empty: 'A merge request proposes the commits of one branch for another one.',
  }),
  family({
    at: 'project',
    path: 'pipelines',
    section: 'Build',
    title: 'Pipelines',
    one: 'pipeline',
    operations: 'pipelines',
    others: { update: null },
    key: ['id', 'pipeline_id'],
    columns: ['id', 'status', 'ref', 'sha', 'source', 'created_at'],
    filters: ['status', 'source', 'ref'],
    choices: { ref: ofBranches },
    actions: [
      { operation: 'pipelines.retry', label: 'Retry' },
      { operation: 'pipelines.cancel', label: 'Cancel' },
    ],
    busy: ['status', 'created', 'pending', 'running'],
    opens: true,
    empty: 'A pipeline runs the jobs of `.gitlab-ci.yml` for a push. Push that file to see one.',
  }),
  family({
    at: 'project',
    path: 'jobs',
    section: 'Build',
    title: 'Jobs',
    one: 'job',
    operations: 'jobs',
    others: { create: null, update: null, delete: null },
    key: ['id', 'job_id'],
    columns: ['name', 'status', 'stage', 'ref', 'duration', 'created_at'],
    filters: [],
    actions: [
      { operation: 'jobs.play', label: 'Run' },
      { operation: 'jobs.retry', label: 'Retry' },
      { operation: 'jobs.cancel', label: 'Cancel' },
    ],
    busy: ['status', 'pending', 'running'],
    empty: 'The jobs of pipelines appear here.',
  }),
]
