import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { anyContains, type Reader, within } from '../../../infra/database/index.ts'
import {
  belongsTo,
  belongsToGroupOrBelow,
  belongsToOrAbove,
  type ProjectCaller,
  type ProjectCondition,
  type ProjectOrGroupRef,
} from '../../projects/index.ts'
import type { MilestoneFilter } from '../params.ts'
import type { MilestoneRow } from '../tables.ts'
import { allMilestones } from './milestones.ts'

/** The milestones that a list shows, before its other filters. */
function scopesOf(db: Reader, parent: ProjectOrGroupRef, filter: MilestoneFilter, caller: ProjectCaller | null) {
  const inherited = filter.include_ancestors || filter.include_parent_milestones
  const scopes = [inherited ? belongsToOrAbove(db, 'milestones', parent) : belongsTo('milestones', parent)]
  if (caller) scopes.push(belongsToGroupOrBelow(db, 'milestones', parent.id, caller))
  return sql<boolean>`(${sql.join(scopes, sql` or `)})`
}

/** A milestone without either date contains no day; with one of them it contains all days from or up to it. */
function containsDay(day: string): ProjectCondition {
  return sql<boolean>`(coalesce(milestones.start_date, milestones.due_date) is not null
    and (milestones.start_date is null or milestones.start_date <= ${day})
    and (milestones.due_date is null or milestones.due_date >= ${day}))`
}

function filtersOf(db: Reader, filter: MilestoneFilter): ProjectCondition[] {
  const { iids, state, title, search, updated_before: before, updated_after: after, containing_date: moment } = filter
  const wanted: ProjectCondition[] = []
  if (iids?.length) wanted.push(within(db, 'milestones.iid', iids))
  if (state === 'active' || state === 'closed') wanted.push(sql<boolean>`milestones.state = ${state}`)
  if (title) wanted.push(sql<boolean>`milestones.title = ${title}`)
  if (search) wanted.push(anyContains(['milestones.title', 'milestones.description'], search))
  if (before) wanted.push(sql<boolean>`milestones.updated_at <= ${before}`)
  if (after) wanted.push(sql<boolean>`milestones.updated_at >= ${after}`)
  if (moment) wanted.push(containsDay(moment.slice(0, 'YYYY-MM-DD'.length)))
  return wanted
}

/**
 * A page of milestones, the latest due date first, those without one last (contract 17, x.milestone_list).
 * @param caller decides which groups below a group count; null where none below count
 */
export async function pageOfMilestones(
  db: Reader,
  parent: ProjectOrGroupRef,
  filter: MilestoneFilter,
  caller: ProjectCaller | null,
  page: PageRequest,
): Promise<Page<MilestoneRow>> {
  let query = allMilestones(db).where(scopesOf(db, parent, filter, caller))
  for (const condition of filtersOf(db, filter)) query = query.where(condition)
  // As in the indexes `milestones_…_order`.
  const due = sql`coalesce(milestones.due_date, '0001-01-01')`
  return pageOfRows(db, query.orderBy(due, 'desc').orderBy('milestones.id', 'desc'), page)
}
