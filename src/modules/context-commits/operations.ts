import { nothing, pageOf, reading, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { CommitSummary } from '../commits/index.ts'
import { mergeRequest, requireUpdate } from '../merge-requests/index.ts'
import { addContextCommits, listContextCommits, removeContextCommits } from './context-commits.ts'

const shared = {
  tag: 'Merge requests',
  path: '/projects/:id/merge_requests/:merge_request_iid/context_commits',
  subject: mergeRequest,
} as const
const changes = { ...shared, allow: 'update_merge_requests', scopes: writing } as const
const merge_request_iid = t.id()
const named = {
  merge_request_iid,
  commits: t.required(t.array(t.string(), { commaSeparated: true, description: 'Hashes, full or short; up to 20.' })),
}

export const contextCommitsList = operation({
  ...shared,
  id: 'context_commits.list',
  contract: 'x.mr_context_commits',
  method: 'GET',
  summary: 'List the context commits of a merge request, newest first',
  allow: 'read_merge_requests',
  scopes: reading,
  params: { merge_request_iid },
  result: [200, pageOf(CommitSummary)],
  run: ({ platform, subject, page }) => listContextCommits(platform, subject, page),
})

export const contextCommitsAdd = operation({
  ...changes,
  id: 'context_commits.add',
  contract: 'x.mr_context_commits_add',
  method: 'POST',
  summary: 'Add context commits to a merge request',
  description: 'They explain its changes, and are not merged. For developers, and for its author.',
  params: named,
  result: [201, Type.Array(CommitSummary)],
  permits: async ({ subject, actor }) => requireUpdate(actor, subject),
  run({ platform, subject, actor, params }) {
    requireUpdate(actor, subject)
    return addContextCommits(platform, subject, params.commits)
  },
})

export const contextCommitsRemove = operation({
  ...changes,
  id: 'context_commits.remove',
  contract: 'x.mr_context_commits_remove',
  method: 'DELETE',
  summary: 'Remove context commits from a merge request',
  description: 'For developers, and for its author.',
  params: named,
  result: [204, nothing],
  permits: async ({ subject, actor }) => requireUpdate(actor, subject),
  async run({ platform, subject, actor, params }) {
    requireUpdate(actor, subject)
    await removeContextCommits(platform, subject, params.commits)
  },
})
