import { pageOf, raw, reading, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { CommitSummary } from '../../commits/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { MergeRequest } from '../core/schema.ts'
import { mergeRequest } from '../subject.ts'
import * as diffs from './diffs.ts'
import { MergeRequestDiff, MergeRequestDiffFiles, MergeRequestVersion, MergeRequestVersionDetail } from './present.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'
const reads = {
  method: 'GET',
  tag: 'Merge requests',
  subject: mergeRequest,
  allow: 'read_merge_requests',
  scopes: reading,
} as const
const version_id = t.integer({ description: 'A version of the diff; default the newest.' })
const unidiff = t.boolean({ description: 'With the two lines that name the files before each patch.' })

export const mergeRequestsDiffs = operation({
  ...reads,
  id: 'merge_requests.diffs',
  contract: 'x.mr_diffs',
  path: `${path}/diffs`,
  summary: 'List the changes of files',
  params: { merge_request_iid, unidiff, version_id },
  result: [200, pageOf(MergeRequestDiff)],
  run: ({ platform, subject, params, page }) => diffs.listDiffs(platform, subject, params, page),
})

export const mergeRequestsDiffFiles = operation({
  ...reads,
  id: 'merge_requests.diff_files',
  contract: 'x.mr_diff_files',
  path: `${path}/diff_files`,
  summary: 'List the changed files with the numbers of their lines',
  params: { merge_request_iid, version_id },
  result: [200, MergeRequestDiffFiles],
  run: ({ platform, subject, params }) => diffs.listDiffFiles(platform, subject, params),
})

const Changes = Type.Object(
  { ...MergeRequest.properties, changes: Type.Array(MergeRequestDiff), overflow: Type.Boolean() },
  { title: 'MergeRequestChanges' },
)

export const mergeRequestsChanges = operation({
  ...reads,
  id: 'merge_requests.changes',
  contract: 'x.mr_changes',
  path: `${path}/changes`,
  summary: 'Get a merge request with all changes of files',
  params: { merge_request_iid, unidiff, access_raw_diffs: t.boolean({ description: 'Accepted without an effect.' }) },
  deprecated: true,
  result: [200, Changes],
  run: ({ platform, subject, actor, params }) => diffs.getChanges(platform, subject, actor, params),
})

export const mergeRequestsRawDiffs = operation({
  ...reads,
  id: 'merge_requests.raw_diffs',
  contract: 'x.mr_raw_diffs',
  path: `${path}/raw_diffs`,
  summary: 'Get the changes as plain text',
  params: { merge_request_iid },
  result: [200, { ...raw, mediaType: 'text/plain' }],
  run: ({ platform, subject }) => diffs.rawDiffs(platform, subject),
})

export const mergeRequestsCommits = operation({
  ...reads,
  id: 'merge_requests.commits',
  contract: 'x.mr_commits',
  path: `${path}/commits`,
  summary: 'List the commits, newest first',
  params: { merge_request_iid },
  result: [200, pageOf(CommitSummary)],
  run: ({ platform, subject, page }) => diffs.listCommits(platform, subject, page),
})

export const mergeRequestsVersions = operation({
  ...reads,
  id: 'merge_requests.versions',
  contract: 'x.mr_versions',
  path: `${path}/versions`,
  summary: 'List the versions of the diff, newest first',
  params: { merge_request_iid },
  result: [200, pageOf(MergeRequestVersion)],
  run: ({ platform, subject, page }) => diffs.listVersions(platform, subject, page),
})

export const mergeRequestsVersion = operation({
  ...reads,
  id: 'merge_requests.version',
  contract: 'x.mr_version',
  path: `${path}/versions/:version_id`,
  summary: 'Get a version of the diff with its commits',
  params: { merge_request_iid, version_id: t.id(), unidiff },
  result: [200, MergeRequestVersionDetail],
  run: ({ platform, subject, params }) => diffs.getVersion(platform, subject, params.version_id, params),
})
