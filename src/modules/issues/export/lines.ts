import type { Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines, Platform, Portable } from '../../../platform/index.ts'
import { exportedIssuableParts, exportedIssueParts } from '../../issuables/index.ts'
import { dividedByNotes } from '../../notes/index.ts'
import type { IssueRow } from '../tables.ts'
import { issuesAfter } from './store.ts'

function columnsOf(row: IssueRow): ExportedLine {
  const { iid, title, description, state, author_id, project_id, created_at, updated_at, confidential } = row
  const { closed_at, closed_by_id, due_date, weight, relative_position } = row
  const { discussion_locked, health_status, issue_type, severity } = row
  return {
    ...{ iid, title, description, state, author_id, project_id, created_at, updated_at },
    // Who edited an issue last is not stored.
    ...{ updated_by_id: null, last_edited_at: null, last_edited_by_id: null },
    ...{ confidential, closed_at, closed_by_id, due_date, weight, relative_position },
    ...{ discussion_locked, health_status, issue_type, severity },
  }
}

/** What other servers embed and this one does not have. */
const absent = {
  designs: [],
  design_versions: [],
  zoom_meetings: [],
  sentry_issue: null,
  issuable_sla: null,
}

async function linesOf(
  platform: Platform,
  db: Reader,
  portable: Portable,
  rows: readonly IssueRow[],
): Promise<ExportedLine[]> {
  const ids = rows.map(({ id }) => id)
  const milestones = new Map(rows.map(({ id, milestone_id }) => [id, milestone_id]))
  const iterations = new Map(rows.map(({ id, iteration_id }) => [id, iteration_id]))
  const shared = await exportedIssuableParts(platform, db, portable, 'Issue', milestones)
  const own = await exportedIssueParts(platform, db, ids, iterations)
  const epics = await platform.ports['issues.exported_epics'](platform, db, ids, portable.actor)
  return rows.map((row) => {
    const { parts, assignees, timeEstimate } = shared(row.id)
    return {
      ...columnsOf(row),
      time_estimate: timeEstimate,
      ...parts,
      issue_assignees: assignees,
      ...absent,
      work_item_type: { base_type: row.issue_type },
      epic_issue: epics.get(row.id) ?? null,
      ...own(row.id),
    }
  })
}

/** The issues of a project, in the manual order (contract 14). */
export const exportedIssues: ExportedLines = async function* (platform, db, portable) {
  let rows = await issuesAfter(db, portable.id, null)
  for (; rows.length > 0; rows = await issuesAfter(db, portable.id, rows.at(-1) ?? null)) {
    for await (const part of dividedByNotes(db, 'Issue', rows)) yield await linesOf(platform, db, portable, part)
  }
}
