import { type Actor, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ListParent } from '../../issuables/index.ts'
import { BasicPipeline, mayReadBuilds, newestPipelines } from '../../pipelines/index.ts'
import { callerOf, projectsWithRoles } from '../../projects/index.ts'
import { missingApprovals } from '../approvals/progress.ts'
import { approvalsOf } from '../approvals/store.ts'
import type { PresentedBasic } from '../core/schema.ts'
import { headOfRow } from '../pipelines/head.ts'
import type { MergeRequestRow } from '../tables.ts'

type Asked = { platform: Platform; actor: Actor; parent: ListParent }

/** The projects of a list whose pipelines the caller may read, by their ids. */
async function projectsOf({ platform, actor, parent: { project } }: Asked, rows: readonly MergeRequestRow[]) {
  const db = platform.database.read
  const ids = [...new Set(rows.map(({ project_id }) => project_id))]
  const projects = project
    ? [project]
    : await projectsWithRoles(db, await callerOf(db, actor, dayOf(platform.clock.now())), ids)
  return new Map(projects.filter((one) => mayReadBuilds(actor, one)).map((one) => [one.id, one]))
}

/** The newest pipelines of the heads, null where there is none; nothing for a project whose pipelines the caller may not read. */
async function pipelinesOf(asked: Asked, rows: readonly MergeRequestRow[]) {
  const { database, externalUrl } = asked.platform
  const projects = await projectsOf(asked, rows)
  const readable = rows.filter(({ project_id }) => projects.has(project_id))
  const newest = await newestPipelines(database.read, readable.map(headOfRow))
  return (row: MergeRequestRow) => {
    const project = projects.get(row.project_id)
    if (!project) return {}
    const pipeline = newest(headOfRow(row))
    const place = { externalUrl, fullPath: project.full_path }
    return { head_pipeline: pipeline ? BasicPipeline.present(pipeline, place) : null }
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
      ...(row && pipelines(row)),
    }
  })
}
