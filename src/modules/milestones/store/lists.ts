import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import { anyContains, type Condition, compared, findsText, type Reader, within } from '../../../infra/database/index.ts'
import { isVisibleGroup } from '../../groups/index.ts'
import { openVisibilities } from '../../namespaces/index.ts'
import {
  belongsTo,
  belongsToGroupOrAbove,
  belongsToGroupOrBelow,
  belongsToOrAbove,
  belongsToProjectBelow,
  hasProject,
  type ProjectCaller,
  type ProjectOrGroupRef,
  plansAreReadable,
} from '../../projects/index.ts'
import type { MilestoneFilter } from '../params.ts'
import type { MilestoneRow } from '../tables.ts'
import { milestonesByIds } from './milestones.ts'

/** The milestones that a list shows, before its other filters: those that meet one of the conditions. */
function scopesOf(
  db: Reader,
  parent: ProjectOrGroupRef,
  filter: MilestoneFilter,
  caller: ProjectCaller | null,
): Condition[] {
  const inherited = filter.include_ancestors || filter.include_parent_milestones
  const below = caller ? [belongsToGroupOrBelow(db, 'milestones', parent.id, caller)] : []
  if (parent.kind === 'group') {
    return [inherited ? belongsToOrAbove(db, 'milestones', parent) : belongsTo('milestones', parent), ...below]
  }
  const above = inherited ? [belongsToGroupOrAbove(db, 'milestones', parent.namespaceId)] : []
  return [belongsTo('milestones', parent), ...above]
}

const either = (conditions: readonly Condition[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`

/** A milestone without either date contains no day; with one of them it contains all days from or up to it. */
function containsDay(day: string): Condition {
  return sql<boolean>`(coalesce(milestones.start_date, milestones.due_date) is not null
    and (milestones.start_date is null or milestones.start_date <= ${day})
    and (milestones.due_date is null or milestones.due_date >= ${day}))`
}

function filtersOf(db: Reader, filter: MilestoneFilter): Condition[] {
  const { iids, state, title, search, updated_before: before, updated_after: after, containing_date: moment } = filter
  const wanted: Condition[] = []
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
  const found = filter.search ? await findsText(db, 'milestones', filter.search) : null
  const scopes = scopesOf(db, parent, filter, caller)
  const conditions = [...(found ? [found] : []), ...filtersOf(db, filter)]
  // As in the indexes `milestones_…_order`.
  const due = sql<string>`coalesce(milestones.due_date, '0001-01-01')`
  const inOrder = (where: readonly Condition[]) =>
    db
      .selectFrom('milestones')
      .select(['milestones.id', due.as('due')])
      .where(sql<boolean>`${sql.join([...where, ...conditions], sql` and `)}`)
      .orderBy('due', 'desc')
      .orderBy('milestones.id', 'desc')
  const any = either(scopes)
  const all = inOrder([found ? compared(db, any) : any])
  const load = (ids: readonly number[]) => milestonesByIds(db, ids)
  const [own, above] = scopes
  if (found || parent.kind === 'group' || !own || !above) return pageOfIds(db, all, page, load)
  // Each has an index with the order of the list.
  const last = (page.kind === 'offset' ? page.offset : 0) + page.limit + 1
  const first = (scope: Condition) => db.selectFrom(inOrder([scope]).limit(last).as('part')).selectAll()
  const parts = db.selectFrom(first(own).unionAll(first(above)).as('milestones')).select(['milestones.id', 'due'])
  const listed = parts.orderBy('due', 'desc').orderBy('milestones.id', 'desc')
  return pageOfIds(db, listed as typeof all, page, load, all)
}

/** Where milestones are searched: in a project, in a group and below it, or everywhere. */
export type SearchedMilestones = { project?: { id: number } | undefined; group?: { id: number } | undefined }

/** The milestones in a place that the caller may read. */
function readableIn(db: Reader, { project, group }: SearchedMilestones, caller: ProjectCaller): Condition[] {
  if (project) return [belongsTo('milestones', { kind: 'project', id: project.id })]
  if (group) {
    const below = { groupId: group.id, isFew: false }
    return [
      belongsToGroupOrBelow(db, 'milestones', group.id, caller),
      belongsToProjectBelow(db, 'milestones', below, caller, 'tests'),
    ]
  }
  const { actor, roles } = caller
  const viewer = { actor, roles, open: openVisibilities(actor) }
  return [
    hasProject(db, 'milestones.project_id', [plansAreReadable(db, caller, 'tests')]),
    isVisibleGroup(db, viewer, sql.ref('milestones.namespace_id')),
  ]
}

/** A page of the milestones in whose title or description all terms occur, by id. */
export async function pageOfFoundMilestones(
  db: Reader,
  place: SearchedMilestones,
  { terms, sort }: { terms: readonly string[]; sort: 'asc' | 'desc' },
  caller: ProjectCaller,
  page: PageRequest,
): Promise<Page<MilestoneRow>> {
  const [longest = ''] = terms.toSorted((left, right) => right.length - left.length)
  const found = await findsText(db, 'milestones', longest)
  const matching = terms.map((term) => anyContains(['milestones.title', 'milestones.description'], term))
  const conditions = [...(found ? [found] : []), ...matching, either(readableIn(db, place, caller))]
  const query = db
    .selectFrom('milestones')
    .select(['milestones.id'])
    .where(sql<boolean>`${sql.join(conditions, sql` and `)}`)
    .orderBy('milestones.id', sort)
  return pageOfIds(db, query, page, (ids) => milestonesByIds(db, ids))
}
