import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ListParent } from '../../issuables/index.ts'
import { BasicPipeline, mayReadBuilds, newestPipelines } from '../../pipelines/index.ts'
import { missingApprovals } from '../approvals/progress.ts'
import { approvalsOf } from '../approvals/store.ts'
import type { PresentedBasic } from '../core/schema.ts'
import type { MergeRequestRow } from '../tables.ts'

type Asked = { platform: Platform; actor: Actor; parent: ListParent }

/** The newest pipelines of the heads, where the list is of a project whose pipelines the caller may read. */
async function pipelinesOf({ platform, actor, parent }: Asked, rows: readonly MergeRequestRow[]) {
  const { project } = parent
  if (!project || !mayReadBuilds(actor, project)) return null
  const place = { externalUrl: platform.externalUrl, fullPath: project.full_path }
  const heads = rows.map(({ project_id, sha }) => ({ projectId: project_id, sha }))
  const newest = await newestPipelines(platform.database.read, heads)
  return ({ project_id, sha }: MergeRequestRow) => {
    const pipeline = newest({ projectId: project_id, sha })
    return pipeline ? BasicPipeline.present(pipeline, place) : null
  }
}

/** Adds what a review has brought so far, in a fixed number of queries (contract 19, `with_review_details`). */
export async function withReviewDetails(
  asked: Asked,
  rows: readonly MergeRequestRow[],
  presented: readonly PresentedBasic[],
): Promise<object[]> {
  const { platform } = asked
  const ids = rows.map(({ id }) => id)
  const [given, missing, pipelines] = await Promise.all([
    approvalsOf(platform.database.read, ids),
    missingApprovals(platform, rows),
    pipelinesOf(asked, rows),
  ])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return presented.map((one) => {
    const row = byId.get(one.id)
    return {
      ...one,
      approvals_given: given.get(one.id)?.length ?? 0,
      approvals_left: missing.get(one.id) ?? 0,
      ...(row && pipelines && { head_pipeline: pipelines(row) }),
    }
  })
}
