import { rows as rowsOf } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { exportedMilestonesByIds } from '../../milestones/index.ts'
import { linksOf } from '../links/store.ts'
import { milestonesOf } from '../milestones/store.ts'
import { type LinkRow, releases } from '../tables.ts'

const linkLine = ({ url, name, filepath, link_type, created_at, updated_at }: LinkRow): ExportedLine => ({
  ...{ url, name, filepath, link_type, created_at, updated_at },
})

/** The releases of a project (contract 14). */
export const exportedReleases: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const rows of rowsOf(releases).portions(db, { project_id: projectId }, 100)) {
    const ids = rows.map(({ id }) => id)
    const links = Map.groupBy(await linksOf(db, ids), ({ release_id }) => release_id)
    const milestones = await milestonesOf(db, ids)
    const all = [...milestones.values()].flat()
    const milestone = await exportedMilestonesByIds(
      db,
      all.map(({ id }) => id),
    )
    yield rows.map(({ id, name, ...row }) => ({
      ...{ ...row, name: name ?? row.tag },
      links: (links.get(id) ?? []).toSorted((a, b) => a.id - b.id).map(linkLine),
      milestone_releases: (milestones.get(id) ?? []).map((own) => ({ milestone: milestone(own.id) })),
    }))
  }
}
