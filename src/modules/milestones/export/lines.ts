import { portions, type Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { exportedEvents } from '../../events/index.ts'
import { milestonesAfter } from '../store/exported.ts'
import { milestonesByIds } from '../store/milestones.ts'
import type { MilestoneRow } from '../tables.ts'

type Row = Omit<MilestoneRow, 'parent_path'>

function lineOf(row: Row): ExportedLine {
  const { iid, title, project_id, namespace_id, description, due_date, start_date } = row
  const { created_at, updated_at, state } = row
  const belonging = { project_id, group_id: namespace_id }
  return { iid, title, ...belonging, description, due_date, start_date, created_at, updated_at, state }
}

/** Milestones as exports embed them, by id; null for none. */
export async function exportedMilestonesByIds(db: Reader, ids: readonly (number | null)[]) {
  const rows = await milestonesByIds(
    db,
    ids.filter((id) => id !== null),
  )
  return (id: number | null): ExportedLine | null => {
    const row = id === null ? undefined : rows.get(id)
    return row ? lineOf(row) : null
  }
}

/** The milestones of a project or group (contract 14). */
export const exportedMilestones: ExportedLines = async function* (_platform, db, portable) {
  for await (const rows of portions((afterId) => milestonesAfter(db, portable, afterId))) {
    const events = await exportedEvents(
      db,
      'Milestone',
      rows.map(({ id }) => id),
    )
    yield rows.map((row) => ({ ...lineOf(row), events: events(row.id) }))
  }
}
