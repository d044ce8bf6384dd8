import { reading, Type } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { merge_request_iid } from '../core/params.ts'
import { mergeRequest } from '../subject.ts'
import { listConflicts } from './conflicts.ts'

const Conflicts = Type.Object({ files: Type.Array(Type.Object({ path: Type.String() })) }, { title: 'MergeConflicts' })

export const mergeRequestsConflicts = operation({
  id: 'merge_requests.conflicts',
  contract: 'x.mr_conflicts',
  method: 'GET',
  path: '/projects/:id/merge_requests/:merge_request_iid/conflicts',
  tag: 'Merge requests',
  summary: 'List the files in which a merge would conflict',
  subject: mergeRequest,
  allow: 'read_merge_requests',
  scopes: reading,
  params: { merge_request_iid },
  result: [200, Conflicts],
  run: ({ platform, subject }) => listConflicts(platform, subject),
})
