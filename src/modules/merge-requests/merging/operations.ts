import { reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { MergeRequest } from '../core/schema.ts'
import { presentSingle } from '../core/single.ts'
import { mergeRequest } from '../subject.ts'
import { cancelAutoMerge, mergeOrWait, requireCanceler } from './auto-merge.ts'
import { requestRebase } from './rebase.ts'
import { trialMerge } from './trial.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'
const common = {
  tag: 'Merge requests',
  subject: mergeRequest,
  allow: 'comment_on_merge_requests',
  scopes: writing,
} as const

export const mergeRequestsMerge = operation({
  ...common,
  id: 'merge_requests.merge',
  contract: 'x.mr_merge',
  method: 'PUT',
  path: `${path}/merge`,
  summary: 'Merge, now or when the pipeline has succeeded',
  description: 'For callers who may merge into the target branch.',
  params: {
    merge_request_iid,
    merge_commit_message: t.string({ description: 'Default by the template of the project.' }),
    squash_commit_message: t.string({ description: 'Default by the template of the project, else the title.' }),
    squash: t.boolean({ description: 'Only `true` has an effect.' }),
    should_remove_source_branch: t.boolean(),
    sha: t.string({ description: 'The head that the caller has seen.' }),
    auto_merge: t.boolean({ description: 'Waits for a running pipeline of the head.' }),
    merge_when_pipeline_succeeds: t.boolean({ description: 'Older form of `auto_merge`.' }),
  },
  result: [200, MergeRequest],
  async run({ platform, subject, actor, params }) {
    const row = await mergeOrWait(platform, subject, actor, params)
    return presentSingle(platform, { ...subject, row }, actor)
  },
})

const TrialMerge = Type.Object({ commit_id: Type.String() }, { title: 'TrialMerge' })

export const mergeRequestsMergeRef = operation({
  ...common,
  id: 'merge_requests.merge_ref',
  contract: 'x.mr_merge_ref',
  method: 'GET',
  path: `${path}/merge_ref`,
  summary: 'Get the commit of a trial merge',
  allow: 'create_merge_requests',
  scopes: reading,
  params: { merge_request_iid },
  result: [200, TrialMerge],
  run: ({ platform, subject, actor }) => trialMerge(platform, subject, actor),
})

const RebaseState = Type.Object({ rebase_in_progress: Type.Boolean() }, { title: 'RebaseState' })

export const mergeRequestsRebase = operation({
  ...common,
  id: 'merge_requests.rebase',
  contract: 'x.mr_rebase',
  method: 'PUT',
  path: `${path}/rebase`,
  summary: 'Rebase the source branch onto the target',
  params: { merge_request_iid, skip_ci: t.boolean({ description: 'Creates a skipped pipeline.' }) },
  result: [202, RebaseState],
  run: ({ platform, subject, actor, params }) => requestRebase(platform, subject, actor, params),
})

export const mergeRequestsCancelAutoMerge = operation({
  ...common,
  id: 'merge_requests.cancel_auto_merge',
  contract: 'x.mr_cancel_auto',
  method: 'POST',
  path: `${path}/cancel_merge_when_pipeline_succeeds`,
  summary: 'Cancel the merge that waits for the pipeline',
  params: { merge_request_iid },
  result: [201, Type.Object({ status: Type.String() }, { title: 'AutoMergeCanceled' })],
  permits: ({ platform, subject, actor }) => requireCanceler(platform, subject, actor),
  run: ({ platform, subject, actor }) => cancelAutoMerge(platform, subject, actor),
})
