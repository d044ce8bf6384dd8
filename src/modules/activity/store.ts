import { type RawBuilder, sql } from 'kysely'
import { isAdministrator, type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { isFound, type Reader } from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import type { EventRow } from '../events/index.ts'
import {
  type callerOf,
  hasProject,
  isMemberOf,
  isUsableBy,
  type ProjectSelection,
  selectionOf,
  type TestingUse,
} from '../projects/index.ts'
import { actionNames, type EventFilter, noteTypes, targetTypes } from './params.ts'

type Condition = RawBuilder<boolean>
type Caller = Awaited<ReturnType<typeof callerOf>>

/** An event, and of a comment its text and what it is about. */
export type ShownEvent = EventRow & {
  note_body: string | null
  note_updated_at: string | null
  note_internal: boolean | null
  noteable_type: string | null
  noteable_id: number | null
  noteable_iid: number | null
}

const all = (conditions: readonly Condition[]) => sql<boolean>`(${sql.join(conditions, sql` and `)})`
const any = (conditions: readonly Condition[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`

/** What an event is about: that of a comment is what the comment is about. */
const subject = sql`case when e.push_data is not null then 'Code'
  when n.id is not null then n.noteable_type else coalesce(e.target_type, 'Project') end`
const isAbout = (...types: string[]) => sql<boolean>`${subject} in (${sql.join(types.map((type) => sql.lit(type)))})`

/** Who reads, and whether many events are counted or those of a page read. */
type Reading = { db: Reader; caller: Caller; use: TestingUse }

/** Whether the roles of the caller give a level in the project, directly or from a group above. */
const isAtLeast = ({ db, caller, use }: Reading, level: number) => isMemberOf(db, caller.roles, level, use)

/** The feature of the project to which an event belongs; null for what every project has. */
const featureOf = sql`case ${subject} when 'Code' then 'repository' when 'Commit' then 'repository'
  when 'MergeRequest' then 'merge_requests' when 'Issue' then 'issues' when 'Snippet' then 'snippets'
  when 'WikiPage::Meta' then 'wiki' end`
const levelOfFeature = sql<string>`coalesce(projects.settings ->> (${featureOf} || '_access_level'), 'enabled')`

const shownTypes = ['Code', 'Commit', 'MergeRequest', 'Issue', 'Snippet', 'WikiPage::Meta', 'Project', 'Milestone']

/**
 * Reading code and merge requests of a private project requires a reporter, and so do internal comments, except for their
 * authors.
 */
function readsAsReporter(reading: Reading, userId: number): Condition {
  const isCode = all([isAbout('Code', 'Commit', 'MergeRequest'), sql<boolean>`projects.visibility = 'private'`])
  const isInternal = sql<boolean>`(n.id is not null and n.internal = ${true} and n.author_id <> ${userId})`
  return any([sql<boolean>`not ${any([isCode, isInternal])}`, isAtLeast(reading, role.reporter)])
}

/** The issue that an event is about, directly or by a comment. */
const issueId = sql`case when e.target_type = 'Issue' then e.target_id when n.noteable_type = 'Issue' then n.noteable_id end`

/** Confidential issues are for their authors, their assignees and planners. */
function readsIssue(reading: Reading, userId: number): Condition {
  const isHidden = isFound(
    reading.db,
    sql`issues i where i.id = ${issueId} and i.confidential = ${true} and i.author_id <> ${userId}
      and not exists (select 1 from issuable_assignees a
        where a.issuable_type = 'Issue' and a.issuable_id = i.id and a.user_id = ${userId})`,
  )
  return any([sql<boolean>`not (${isAbout('Issue')} and ${isHidden})`, isAtLeast(reading, role.planner)])
}

/** The events whose projects and targets the caller can read. Each level of the caller is asked for once: it may be many ids. */
function readable(reading: Reading): Condition {
  const { db, caller, use } = reading
  const { actor } = caller
  if (isAdministrator(actor)) return isUsableBy(db, caller, [], use)
  const userId = actor.kind === 'user' ? actor.userId : 0
  return all([
    isAbout(...shownTypes),
    isUsableBy(db, caller, [levelOfFeature], use),
    readsAsReporter(reading, userId),
    readsIssue(reading, userId),
  ])
}

/** Whose events a list contains. */
export type EventScope = { projectId: number } | { authorId: number } | { memberId: number; caller: Caller }

/** The condition on events whose author or project is named. */
function inScope(scope: EventScope): Condition[] {
  if ('projectId' in scope) return [sql<boolean>`e.project_id = ${scope.projectId}`]
  return 'authorId' in scope ? [sql<boolean>`e.author_id = ${scope.authorId}`] : []
}

/** The condition on the project of an event. */
function ofProjectInScope({ db, use }: Reading, scope: EventScope): Condition[] {
  if (!('memberId' in scope)) return []
  return [sql<boolean>`(e.author_id = ${scope.memberId} or ${isAtLeast({ db, use, caller: scope.caller }, 0)})`]
}

/** The iid of the issue or merge request that was commented on. */
const iidOfNoteable = sql<number | null>`coalesce(
  (select i.iid from issues i where i.id = ${issueId}),
  (select m.iid from merge_requests m where m.id = n.noteable_id and n.noteable_type = 'MergeRequest'))`

/** Events, each with its comment. PostgreSQL looks comments up for each event; by a join it would read all events and sort them. */
function eventsWithNotes(db: Reader) {
  const events = db.selectFrom('events as e')
  const joined = events.leftJoin('notes as n', (join) =>
    join.onRef('n.id', '=', 'e.target_id').on('e.target_type', 'in', [...noteTypes]),
  )
  if (db.engine === 'sqlite') return joined
  const lookedUp = events.leftJoinLateral(
    (eb) =>
      eb
        .selectFrom('notes')
        .selectAll()
        .whereRef('notes.id', '=', 'e.target_id')
        .where('e.target_type', 'in', [...noteTypes])
        .offset(0)
        .as('n'),
    (join) => join.onTrue(),
  )
  return lookedUp as unknown as typeof joined
}

/** A page of the events that the caller can read, by id. @param after the first moment, `before` the one after the last */
export async function pageOfEvents(
  db: Reader,
  scope: EventScope,
  caller: Caller,
  { action, target_type: type, sort = 'desc', before, after }: EventFilter,
  page: PageRequest,
): Promise<Page<ShownEvent>> {
  let query = eventsWithNotes(db)
    .selectAll('e')
    .select(['n.body as note_body', 'n.updated_at as note_updated_at', 'n.internal as note_internal'])
    .select(['n.noteable_type', 'n.noteable_id'])
    .select(iidOfNoteable.as('noteable_iid'))
  for (const condition of inScope(scope)) query = query.where(condition)
  if (action) query = query.where('e.action', 'in', [...actionNames[action]])
  if (type) query = query.where('e.target_type', 'in', [...targetTypes[type]])
  if (before) query = query.where('e.created_at', '<', before)
  if (after) query = query.where('e.created_at', '>=', after)
  const ordered = query.orderBy('e.id', sort)
  const selected = (use: TestingUse) => {
    const reading = { db, caller, use }
    return ordered.where(hasProject(db, 'e.project_id', [...ofProjectInScope(reading, scope), readable(reading)]))
  }
  return pageOfRows(db, selected('filters'), page, selected('counts'))
}

/** Projects in which a user has done something. */
export function contributedBy(userId: number): ProjectSelection {
  const isThere = sql`exists (select 1 from events e where e.author_id = ${userId} and e.project_id = found.project_id)`
  return selectionOf(sql`contributions found where found.user_id = ${userId} and ${isThere}`, { isOrdered: true })
}
