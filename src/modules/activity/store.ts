import { sql } from 'kysely'
import { type Actor, isAdministrator, type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import {
  type Condition,
  isFound,
  lookUp,
  neverTrue,
  type Reader,
  semiJoin,
  sortedBy,
  type TestUse,
  unindexed,
} from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import type { EventRow } from '../events/index.ts'
import { isOpenTo } from '../namespaces/index.ts'
import {
  type callerOf,
  hasProject,
  isMemberOf,
  isUsableBy,
  type Project,
  type ProjectScope,
} from '../projects/index.ts'
import { actionNames, type EventFilter, noteTypes, targetTypes } from './params.ts'

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
type Reading = { db: Reader; caller: Caller; use: TestUse }

/** Whether the roles of the caller give a level in the project, directly or from a group above. */
const isAtLeast = ({ db, caller, use }: Reading, level: number) => isMemberOf(db, caller.roles, level, use)

/** The types of what events are about, with the feature of the project to which each belongs; null for what every project has. */
const featureOfType = {
  ...{ Code: 'repository', Commit: 'repository', MergeRequest: 'merge_requests', Issue: 'issues' },
  ...{ Snippet: 'snippets', 'WikiPage::Meta': 'wiki', Project: null, Milestone: null },
} as const
type Shown = keyof typeof featureOfType
const shownTypes = Object.keys(featureOfType) as Shown[]

const featureCases = shownTypes.map((type) => sql`when ${sql.lit(type)} then ${sql.lit(featureOfType[type])}`)
const featureOf = sql`case ${subject} ${sql.join(featureCases, sql` `)} end`
const levelOfFeature = sql<string>`coalesce(projects.settings ->> (${featureOf} || '_access_level'), 'enabled')`

/** Types that only reporters read in a private project. */
const codeTypes = ['Code', 'Commit', 'MergeRequest'] as const satisfies Shown[]

/**
 * Reading code and merge requests of a private project requires a reporter, and so do internal comments, except for their
 * authors.
 */
function readsAsReporter(reading: Reading, userId: number): Condition {
  const isCode = all([isAbout(...codeTypes), sql<boolean>`projects.visibility = 'private'`])
  return any([sql<boolean>`not ${any([isCode, isInternal(userId)])}`, isAtLeast(reading, role.reporter)])
}

const isInternal = (userId: number) =>
  sql<boolean>`(n.id is not null and n.internal = ${true} and n.author_id <> ${userId})`

/** The issue that an event is about, directly or by a comment. */
const issueId = sql`case when e.target_type = 'Issue' then e.target_id when n.noteable_type = 'Issue' then n.noteable_id end`

/** Whether an event is about a confidential issue of which the user is neither author nor assignee. */
function isHidden(db: Reader, userId: number): Condition {
  const issue = sql`issues i where i.id = ${issueId} and i.confidential = ${true} and i.author_id <> ${userId}
    and not exists (select 1 from issuable_assignees a
      where a.issuable_type = 'Issue' and a.issuable_id = i.id and a.user_id = ${userId})`
  return sql<boolean>`(${isAbout('Issue')} and ${isFound(db, issue)})`
}

/** Confidential issues are for their authors, their assignees and planners. */
function readsIssue(reading: Reading, userId: number): Condition {
  return any([sql<boolean>`not ${isHidden(reading.db, userId)}`, isAtLeast(reading, role.planner)])
}

const userIdOf = (actor: Actor) => (actor.kind === 'user' ? actor.userId : 0)

/** The types of events that the caller reads in a project: the conditions of `readable` on projects, of one that is known. */
function typesIn({ settings, visibility, role: { level } }: Project, actor: Actor): Shown[] {
  const isOpen = isOpenTo(actor, { visibility })
  const levels = settings as Readonly<Record<string, unknown>>
  return shownTypes.filter((type) => {
    const access = levels[`${featureOfType[type]}_access_level`] ?? 'enabled'
    const isUsable = access === 'enabled' ? isOpen || level > 0 : access === 'private' && level > 0
    const isCode = (codeTypes as readonly Shown[]).includes(type)
    return isUsable && (!isCode || visibility !== 'private' || level >= role.reporter)
  })
}

/** The events of a project that the caller can read. */
function readableIn(db: Reader, project: Project, actor: Actor): Condition {
  if (project.pending_delete) return neverTrue
  if (isAdministrator(actor)) return sql<boolean>`1 = 1`
  const types = typesIn(project, actor)
  if (types.length === 0) return neverTrue
  const userId = userIdOf(actor)
  if (project.role.level < role.planner) {
    return all([isAbout(...types), sql<boolean>`not ${isInternal(userId)}`, sql<boolean>`not ${isHidden(db, userId)}`])
  }
  if (project.role.level < role.reporter) return all([isAbout(...types), sql<boolean>`not ${isInternal(userId)}`])
  const isShown = isAbout(...types)
  if (!types.includes('Code') || !types.includes('Project')) return isShown
  // Of most events the type of the target decides, which is in an index.
  const isOfType = sql.join(types.map((type) => sql.lit(type)))
  return any([sql<boolean>`e.target_type is null`, sql<boolean>`e.target_type in (${isOfType})`, isShown])
}

/** The events whose projects and targets the caller can read. Each level of the caller is asked for once: it may be many ids. */
function readable(reading: Reading, scope: EventScope): Condition {
  const { db, caller, use } = reading
  const { actor } = caller
  if ('project' in scope) return readableIn(db, scope.project, actor)
  if (isAdministrator(actor) && 'authorId' in scope) {
    // SQLite would find events by their projects, and read all of the author.
    const projectId = unindexed(db, 'e.project_id')
    const leaving = sql`select id from projects where pending_delete = ${true}`
    return sql<boolean>`(${projectId} is not null and ${projectId} not in (${leaving}))`
  }
  const conditions = isAdministrator(actor)
    ? [isUsableBy(db, caller, [], use)]
    : [
        isAbout(...shownTypes),
        isUsableBy(db, caller, [levelOfFeature], use),
        readsAsReporter(reading, userIdOf(actor)),
        readsIssue(reading, userIdOf(actor)),
      ]
  return hasProject(db, 'e.project_id', [...ofProjectInScope(reading, scope), ...conditions])
}

/** Whose events a list contains. */
export type EventScope = { project: Project } | { authorId: number } | { memberId: number; caller: Caller }

/** The condition on events whose author or project is named. */
function inScope(scope: EventScope): Condition[] {
  if ('project' in scope) return [sql<boolean>`e.project_id = ${scope.project.id}`]
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

/**
 * The events that a user can find in a list over all projects: their own, and those of the projects in which they have a role. They are
 * found by these, as most events of a large instance are of other projects.
 */
function eventsOfMember(db: Reader, { memberId, caller }: Extract<EventScope, { memberId: number }>) {
  const isOfOthers = sql`events.project_id = projects.id and coalesce(events.author_id <> ${memberId}, ${true})`
  const theirs = sql`projects where ${isMemberOf(db, caller.roles, 0, 'drives')}`
  const ofOthers = sql`select events.* from (select projects.id from ${theirs}) projects
    ${lookUp(db, 'events', isOfOthers)}`
  return sql<EventRow>`(select events.* from events where events.author_id = ${memberId} union all ${ofOthers})`.as<'e'>(
    'e',
  )
}

/** The events of a list, each with its comment. */
function eventsWithNotes(db: Reader, scope: EventScope, use: TestUse) {
  const ofMember = use === 'counts' && 'memberId' in scope ? eventsOfMember(db, scope) : undefined
  const events = ofMember ? db.selectFrom(ofMember) : db.selectFrom('events as e')
  return withNotes(db, events as never)
}

/** PostgreSQL looks comments up for each event; by a join it would read all events and sort them. */
function withNotes(db: Reader, events: ReturnType<typeof db.selectFrom<'events as e'>>) {
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
  const selected = (use: TestUse) => {
    let query = eventsWithNotes(db, scope, use)
      .selectAll('e')
      .select(['n.body as note_body', 'n.updated_at as note_updated_at', 'n.internal as note_internal'])
      .select(['n.noteable_type', 'n.noteable_id'])
      .select(iidOfNoteable.as('noteable_iid'))
    for (const condition of inScope(scope)) query = query.where(condition)
    if (action) query = query.where('e.action', 'in', [...actionNames[action]])
    if (type) query = query.where('e.target_type', 'in', [...targetTypes[type]])
    const isTimed = before !== undefined || after !== undefined
    const at = use === 'tests' ? unindexed(db, 'e.created_at') : sql.ref('e.created_at')
    let timed = query.where(readable({ db, caller, use }, scope))
    if (before) timed = timed.where(sql<boolean>`${at} < ${before}`)
    if (after) timed = timed.where(sql<boolean>`${at} >= ${after}`)
    return timed.orderBy(isTimed && use === 'counts' ? sortedBy(db, 'e.id') : sql.ref('e.id'), sort)
  }
  // Events of a member are sorted only when they are few: a page of many is near in the order of all.
  const id = 'memberId' in scope ? undefined : 'e.id'
  return pageOfRows(db, selected('tests'), page, selected('counts'), id)
}

/** Projects in which a user has done something. */
export const contributedBy = (userId: number): ProjectScope => ({
  predicates: (context) => [
    semiJoin(context, sql`contributions found where found.user_id = ${userId}`, 'project_id'),
    { holds: isFound(context.db, sql`events e where e.author_id = ${userId} and e.project_id = projects.id`) },
  ],
})
