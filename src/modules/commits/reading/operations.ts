import { anything, pageOf, reading, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { CommitDetail, ListedCommit } from '../present.ts'
import { Diff } from './diffs.ts'
import { commitDiff, commitMergeRequests, commitRefs, commitSequence, getCommit, listCommits } from './history.ts'
import { historyFilter } from './params.ts'

const path = '/projects/:id/repository/commits'
const common = { method: 'GET', tag: 'Commits', subject: project, allow: 'read_code', scopes: reading } as const

const Ref = Type.Object({ type: Type.String(), name: Type.String() }, { title: 'CommitRef' })
const Sequence = Type.Object({ count: Type.Integer() }, { title: 'CommitSequence' })

export const commitsList = operation({
  ...common,
  id: 'commits.list',
  contract: 'x.commits_list',
  path,
  summary: 'List the commits of a branch, tag or range',
  params: historyFilter,
  list: { withoutTotal: true },
  result: [200, pageOf(ListedCommit)],
  run: ({ platform, subject, params, page }) => listCommits(platform, subject, params, page),
})

export const commitsGet = operation({
  ...common,
  id: 'commits.get',
  contract: 'x.commits_get',
  jobToken: true,
  path: `${path}/:sha`,
  summary: 'Get a commit',
  params: { stats: t.boolean({ description: 'With the numbers of added and removed lines; default true.' }) },
  result: [200, CommitDetail],
  run: ({ platform, subject, actor, params }) => getCommit(platform, subject, actor, params.sha, params),
})

export const commitsDiff = operation({
  ...common,
  id: 'commits.diff',
  contract: 'x.commits_diff',
  path: `${path}/:sha/diff`,
  summary: 'Get the changes of a commit',
  params: { unidiff: t.boolean({ description: 'With the two lines that name the files before each patch.' }) },
  result: [200, pageOf(Diff)],
  run: ({ platform, subject, params, page }) => commitDiff(platform, subject, params.sha, params, page),
})

export const commitsRefs = operation({
  ...common,
  id: 'commits.refs',
  contract: 'x.commits_refs',
  path: `${path}/:sha/refs`,
  summary: 'List the branches and tags that contain a commit',
  params: { type: t.oneOf(['all', 'branch', 'tag'], { description: 'Default `all`.' }) },
  list: { withoutTotal: true },
  result: [200, pageOf(Ref)],
  run: ({ platform, subject, params: { sha, type = 'all' }, page }) => commitRefs(platform, subject, sha, type, page),
})

export const commitsSequence = operation({
  ...common,
  id: 'commits.sequence',
  contract: 'x.commits_sequence',
  path: `${path}/:sha/sequence`,
  summary: 'Get the position of a commit, counted from the first',
  params: { first_parent: t.boolean({ description: 'Follow only the first parent of a merge.' }) },
  result: [200, Sequence],
  run: ({ platform, subject, params }) => commitSequence(platform, subject, params.sha, params),
})

export const commitsMergeRequests = operation({
  ...common,
  id: 'commits.merge_requests',
  contract: 'x.commits_merge_requests',
  jobToken: true,
  path: `${path}/:sha/merge_requests`,
  summary: 'List the merge requests that contain a commit',
  params: { state: t.oneOf(['opened', 'closed', 'locked', 'merged', 'all'], { description: 'Default `all`.' }) },
  result: [200, pageOf(anything)],
  run: ({ platform, subject, actor, params, page }) => commitMergeRequests(platform, subject, actor, params, page),
})
