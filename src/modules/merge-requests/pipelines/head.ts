import { requestRef } from '../../pipelines/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** The head of a merge request, as its newest pipeline is found. */
export function headOfRow({ project_id, sha, iid }: Pick<MergeRequestRow, 'project_id' | 'sha' | 'iid'>) {
  return { projectId: project_id, sha, ref: requestRef(iid) }
}
