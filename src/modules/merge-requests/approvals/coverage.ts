import type { Platform } from '../../../platform/index.ts'
import { coverageOfPipelines, newestPipelines, newestSuccessfulPipelines } from '../../pipelines/index.ts'
import { headOfRow } from '../pipelines/head.ts'
import type { MergeRequestRow } from '../tables.ts'

/**
 * Those of these merge requests, by id, whose head pipeline has a lower coverage than the newest successful pipeline of the target
 * branch, or none while that has one (contract 19, "Approvals"). In a fixed number of queries.
 */
export async function withLessCoverage(
  { database: { read: db } }: Platform,
  rows: readonly MergeRequestRow[],
): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set()
  const [headOf, targetOf] = await Promise.all([
    newestPipelines(db, rows.map(headOfRow)),
    newestSuccessfulPipelines(
      db,
      rows.map(({ project_id, target_branch }) => ({ projectId: project_id, ref: target_branch })),
    ),
  ])
  const pairs = rows.map((row) => ({
    id: row.id,
    head: headOf(headOfRow(row))?.id,
    target: targetOf({ projectId: row.project_id, ref: row.target_branch }),
  }))
  const coverages = await coverageOfPipelines(
    db,
    pairs.flatMap(({ head, target }) => [head ?? [], target ?? []].flat()),
  )
  const lost = pairs.filter(({ head, target }) => {
    const before = coverages.get(target ?? 0)
    return before !== undefined && (coverages.get(head ?? 0) ?? -1) < before
  })
  return new Set(lost.map(({ id }) => id))
}
