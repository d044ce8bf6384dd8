import { type RawBuilder, sql } from 'kysely'
import { isAdministrator, type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import type { EventRow } from '../events/index.ts'
import { type callerOf, isMemberOf, isSelected, visibleProjects } from '../projects/index.ts'
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
const isAbout = (...types: string[]) => sql<boolean>`${subject} in (${sql.join(types)})`

/** Reading code and merge requests of a private project requires a reporter. */
const readsCode = (db: Reader, { roles }: Caller) =>
  sql<boolean>`(projects.visibility <> 'private' or ${isMemberOf(db, roles, role.reporter, 'filters')})`

/** Confidential issues are for their authors, their assignees and planners. */
function readsIssue(db: Reader, { actor, roles }: Caller): Condition {
  const userId = actor.kind === 'user' ? actor.userId : 0
  return sql<boolean>`(i.id is null or i.confidential = ${false} or i.author_id = ${userId}
    or exists (select 1 from issuable_assignees a
      where a.issuable_type = 'Issue' and a.issuable_id = i.id and a.user_id = ${userId})
    or ${isMemberOf(db, roles, role.planner, 'filters')})`
}

/** Internal comments are for their authors and for reporters. */
function readsNote(db: Reader, { actor, roles }: Caller): Condition {
  const userId = actor.kind === 'user' ? actor.userId : 0
  return sql<boolean>`(n.id is null or n.internal = ${false} or n.author_id = ${userId}
    or ${isMemberOf(db, roles, role.reporter, 'filters')})`
}

/** The events whose projects and targets the caller can read. */
function readable(db: Reader, caller: Caller): Condition {
  if (isAdministrator(caller.actor)) return all(visibleProjects(db, caller, []))
  const kinds = [
    all([
      isAbout('Code', 'Commit'),
      ...visibleProjects(db, caller, ['repository_access_level']),
      readsCode(db, caller),
    ]),
    all([
      isAbout('MergeRequest'),
      ...visibleProjects(db, caller, ['merge_requests_access_level']),
      readsCode(db, caller),
    ]),
    all([isAbout('Issue'), ...visibleProjects(db, caller, ['issues_access_level']), readsIssue(db, caller)]),
    all([isAbout('Snippet'), ...visibleProjects(db, caller, ['snippets_access_level'])]),
    all([isAbout('WikiPage::Meta'), ...visibleProjects(db, caller, ['wiki_access_level'])]),
    all([isAbout('Project', 'Milestone'), ...visibleProjects(db, caller, [])]),
  ]
  return all([any(kinds), readsNote(db, caller)])
}

/** Whose events a list contains. */
export type EventScope = { projectId: number } | { authorId: number } | { memberId: number; caller: Caller }

function inScope(db: Reader, scope: EventScope): Condition {
  if ('projectId' in scope) return sql<boolean>`e.project_id = ${scope.projectId}`
  if ('authorId' in scope) return sql<boolean>`e.author_id = ${scope.authorId}`
  return sql<boolean>`(e.author_id = ${scope.memberId} or ${isMemberOf(db, scope.caller.roles, 0, 'filters')})`
}

/** A page of the events that the caller can read, by id. @param after the first moment, `before` the one after the last */
export async function pageOfEvents(
  db: Reader,
  scope: EventScope,
  caller: Caller,
  { action, target_type: type, sort = 'desc', before, after }: EventFilter,
  page: PageRequest,
): Promise<Page<ShownEvent>> {
  let query = db
    .selectFrom('events as e')
    .innerJoin('projects', 'projects.id', 'e.project_id')
    .leftJoin('notes as n', (join) => join.onRef('n.id', '=', 'e.target_id').on('e.target_type', 'in', [...noteTypes]))
    .leftJoin('issues as i', (join) =>
      join.on(
        sql<boolean>`i.id = case when e.target_type = 'Issue' then e.target_id
          when n.noteable_type = 'Issue' then n.noteable_id end`,
      ),
    )
    .leftJoin('merge_requests as m', (join) =>
      join.onRef('m.id', '=', 'n.noteable_id').on('n.noteable_type', '=', 'MergeRequest'),
    )
    .selectAll('e')
    .select(['n.body as note_body', 'n.updated_at as note_updated_at', 'n.internal as note_internal'])
    .select(['n.noteable_type', 'n.noteable_id'])
    .select(sql<number | null>`coalesce(i.iid, m.iid)`.as('noteable_iid'))
    .where(inScope(db, scope))
    .where(readable(db, caller))
  if (action) query = query.where('e.action', 'in', [...actionNames[action]])
  if (type) query = query.where('e.target_type', 'in', [...targetTypes[type]])
  if (before) query = query.where('e.created_at', '<', before)
  if (after) query = query.where('e.created_at', '>=', after)
  return pageOfRows(db, query.orderBy('e.id', sort), page)
}

/** Projects in which a user has done something, as a condition on `projects`. */
export const contributedBy = (db: Reader, userId: number): Condition =>
  isSelected(db, sql.ref('projects.id'), sql`select e.project_id from events e where e.author_id = ${userId}`)
