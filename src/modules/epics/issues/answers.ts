import { dayOf } from '../../../api/index.ts'
import type { Ports } from '../../../platform/index.ts'
import type { PresentedEpic } from '../../issues/index.ts'
import { projectById } from '../../projects/index.ts'
import { mayAssign } from '../core/access.ts'
import { heldEpic, requireConfidential } from '../core/confidentiality.ts'
import { dateOf, type InheritedDates, inheritedDates } from '../core/dates.ts'
import { epicPath } from '../core/present.ts'
import { readableEpics } from '../core/readable.ts'
import { epicByIid, epicsByIds } from '../core/store.ts'
import type { EpicRow } from '../tables.ts'
import { readableDate, remainingTime } from './readable-dates.ts'
import { assignIssue, epicIdsOf, unassignIssue } from './store.ts'

/** The epics of issues, as issues show them (contract 16, Issue). */
export const epicsOfIssues: Ports['issues.epics'] = async (platform, issueIds, actor) => {
  const { read: db } = platform.database
  const epicIds = await epicIdsOf(db, issueIds)
  if (epicIds.size === 0) return new Map()
  const rows = await readableEpics(platform, db, [...(await epicsByIds(db, [...epicIds.values()])).values()], actor)
  const dates = await inheritedDates(
    platform,
    rows.map(({ id }) => id),
  )
  const today = dayOf(platform.clock.now())
  const shown = new Map(rows.map((row) => [row.id, presentEpicOfIssue(row, dates(row.id), today)]))
  const found = new Map<number, PresentedEpic>()
  for (const [issueId, epicId] of epicIds) {
    const epic = shown.get(epicId)
    if (epic) found.set(issueId, epic)
  }
  return found
}

function presentEpicOfIssue(row: EpicRow, inherited: InheritedDates, today: string): PresentedEpic {
  const { id, iid, title, group_id } = row
  const [start, due] = [dateOf('start', row, inherited), dateOf('due', row, inherited)]
  return {
    ...{ id, iid, title, url: epicPath(row), group_id },
    human_readable_end_date: due && readableDate(due),
    human_readable_timestamp: remainingTime(start, due, today),
  }
}

/**
 * Makes an issue part of an epic, of any group in which the caller may assign issues to epics, or of none.
 * @throws ApiError 422 for a public issue and a confidential epic
 */
export const setEpicOfIssue: Ports['issues.set_epic'] = async (platform, tx, issue, wanted, actor) => {
  if (wanted === null) return unassignIssue(tx, issue.id)
  const project = await projectById(tx, issue.project_id)
  if (!project) return null
  const row =
    'id' in wanted
      ? (await epicsByIds(tx, [wanted.id])).get(wanted.id)
      : await epicByIid(tx, project.namespace_id, wanted.iid)
  const [epic] = row ? await readableEpics(platform, tx, [row], actor) : []
  if (!epic || !mayAssign(actor, epic.group)) return null
  await requireConfidential(tx, epic.id, issue)
  return (await assignIssue(tx, epic.id, issue.id)) !== null
}

/** Whether an issue is in a confidential epic, which takes no public ones (contract 17, "Rules"). */
export const inConfidentialEpic: Ports['issues.in_confidential_epic'] = async (_platform, tx, issueId) => {
  const epicId = (await epicIdsOf(tx, [issueId])).get(issueId)
  return epicId !== undefined && (await heldEpic(tx, epicId))?.confidential === true
}
