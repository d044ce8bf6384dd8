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
]
