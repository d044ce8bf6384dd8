import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { valuesByKey } from '../../../infra/grouping/index.ts'
import { effectiveMembers } from '../../access/index.ts'
import type { PipelineRow } from '../../pipelines/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import '../tables.ts'
import type { EventChoices, Level } from '../settings/levels.ts'
import type { Part } from './decide.ts'
import type { Occasion, ThreadType } from './occasion.ts'

/** An object of which users are notified. */
export type Thread = { type: ThreadType; id: number; authorId: number | null }

type Place = Pick<ProjectRow, 'id' | 'namespace_id'>

const inside = ({ type, id }: Thread, of: 'issuable' | 'noteable') =>
  sql`${sql.ref(`${of}_type`)} = ${type} and ${sql.ref(`${of}_id`)} = ${id}`

/** Users who take part, a row for each way. */
function partsIn(thread: Thread) {
  const author = sql`select id as user_id, 'author' as part from users where id = ${thread.authorId ?? 0}`
  if (thread.type === 'Pipeline' || thread.type === 'Release') return author
  const reviewers =
    thread.type === 'MergeRequest'
      ? sql`union all select user_id, 'review' from merge_request_reviewers where merge_request_id = ${thread.id}`
      : sql``
  return sql`
    ${author}
    union all select user_id, 'assigned' from issuable_assignees where ${inside(thread, 'issuable')}
    union all select author_id, 'commented' from notes where ${inside(thread, 'noteable')} and system = ${false}
    union all select user_id, 'named' from user_mentions where ${inside(thread, 'issuable')}
    ${reviewers}`
}

/** Settings for the project, for the groups above it, and for everything, with their distance from the project. */
const settingsAt = ({ id, namespace_id: namespaceId }: Place) => sql`
    select user_id, level, events, -1 as distance from notification_settings where project_id = ${id}
    union all select s.user_id, s.level, s.events, a.depth from namespace_ancestors a
      join notification_settings s on s.namespace_id = a.ancestor_id where a.namespace_id = ${namespaceId}`

/**
 * The next users who may have to be told, by id: those who take part, are subscribed or named in the occasion, those with a setting
 * for the project or a group above, and the members whose own setting watches or chooses events.
 * @param today a day, `2026-03-01`
 */
export async function nextCandidates(
  db: Reader,
  thread: Thread,
  project: Place,
  options: { after: number; limit: number; today: string; named: readonly number[] },
): Promise<number[]> {
  const { after, limit, today, named } = options
  const members = effectiveMembers(
    db,
    { kind: 'project', id: project.id, namespaceId: project.namespace_id },
    { today },
  )
  // Of a pipeline, only the user who started it is notified.
  if (thread.type === 'Pipeline') return [thread.authorId ?? 0].filter((id) => id > after)
  const { rows } = await sql<{ user_id: number }>`
    select distinct user_id from (
      select user_id from (${partsIn(thread)}) parts
      union all select user_id from subscriptions where ${inside(thread, 'noteable')} and subscribed = ${true}
      union all select user_id from (${settingsAt(project)}) placed where level in ('watch', 'custom')
      union all select user_id from notification_settings
        where project_id is null and namespace_id is null and level in ('watch', 'custom')
          and user_id in (select user_id from (${members}) members)
      union all select id from users where ${within(db, 'id', named)}
    ) candidates where user_id > ${after} order by user_id limit ${limit}`.execute(db as never)
  return rows.map(({ user_id }) => user_id)
}

/** How these users take part; those who do not are absent. */
export async function partsOf(db: Reader, thread: Thread, userIds: readonly number[]): Promise<Map<number, Part[]>> {
  const { rows } = await sql<{ user_id: number; part: Part }>`
    select distinct user_id, part from (${partsIn(thread)}) parts where ${within(db, 'user_id', userIds)}`.execute(
    db as never,
  )
  return valuesByKey(
    rows,
    ({ user_id }) => user_id,
    ({ part }) => part,
  )
}

/** What these users have said of subscriptions to an object. */
export async function subscriptionsOf(
  db: Reader,
  { type, id }: Thread,
  userIds: readonly number[],
): Promise<Map<number, boolean>> {
  if (type === 'Pipeline' || type === 'Release') return new Map()
  const rows = await db
    .selectFrom('subscriptions')
    .select(['user_id', 'subscribed'])
    .where('noteable_type', '=', type)
    .where('noteable_id', '=', id)
    .where(within(db, 'user_id', userIds))
    .execute()
  return new Map(rows.map(({ user_id, subscribed }) => [user_id, subscribed]))
}

/** The setting of a user that counts. */
export type EffectiveLevel = { level: Exclude<Level, 'global'>; choices: EventChoices }

type Placed = { user_id: number; level: Level; events: EventChoices | string; distance: number }

/** The settings of these users that count in a project: the nearest one whose level is not `global`. */
export async function effectiveLevels(
  db: Reader,
  project: Place,
  userIds: readonly number[],
): Promise<Map<number, EffectiveLevel>> {
  const { rows } = await sql<Placed>`
    select user_id, level, events, distance from (
      ${settingsAt(project)}
      union all select user_id, level, events, 1000000 from notification_settings
        where project_id is null and namespace_id is null
    ) placed where ${within(db, 'user_id', userIds)} order by user_id, distance`.execute(db as never)
  const found = new Map<number, EffectiveLevel>()
  for (const { user_id, level, events } of rows) {
    if (level === 'global' || found.has(user_id)) continue
    found.set(user_id, { level, choices: typeof events === 'string' ? JSON.parse(events) : events })
  }
  return found
}

/** Something of which users are still being told. */
export type Run = { id: number; project_id: number; occasion: Occasion; told_up_to: number }

export async function insertRun(tx: Tx, projectId: number, occasion: Occasion, at: string): Promise<number> {
  const row = { project_id: projectId, occasion: JSON.stringify(occasion), created_at: at }
  return (await tx.insertInto('notification_runs').values(row).returning('id').executeTakeFirstOrThrow()).id
}

export async function runById(db: Reader, id: number): Promise<Run | undefined> {
  const query = db.selectFrom('notification_runs').select(['id', 'project_id', 'occasion', 'told_up_to'])
  return query.where('id', '=', id).executeTakeFirst()
}

/** Moves a run on, once from each place. @returns false when it is no longer there: another process has moved it */
export async function moveRun(tx: Tx, { id, told_up_to: from }: Run, to: number): Promise<boolean> {
  const query = tx.updateTable('notification_runs').set({ told_up_to: to }).where('id', '=', id)
  return (await query.where('told_up_to', '=', from).returning('id').executeTakeFirst()) !== undefined
}

export async function deleteRun(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('notification_runs').where('id', '=', id).execute()
}

/** Open issues that are due on a day, with their projects, from an id on. @param day `2026-03-01` */
export async function issuesDueOn(
  db: Reader,
  day: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number; project_id: number }[]> {
  const query = db.selectFrom('issues').select(['id', 'project_id']).where('due_date', '=', day)
  return query.where('state', '=', 'opened').where('id', '>', after).orderBy('id').limit(limit).execute()
}

/** Up to which id the issues that are due on a day have been told of. */
export async function toldUpTo(db: Reader, day: string): Promise<number> {
  const query = db.selectFrom('notification_due_days').select('told_up_to').where('day', '=', day)
  return (await query.executeTakeFirst())?.told_up_to ?? 0
}

/** Records a day of which nothing has been told yet, and forgets those before another. */
export async function insertDueDay(tx: Tx, day: string, oldest: string): Promise<void> {
  await tx.deleteFrom('notification_due_days').where('day', '<', oldest).execute()
  await tx
    .insertInto('notification_due_days')
    .values({ day })
    .onConflict((conflict) => conflict.column('day').doNothing())
    .execute()
}

/** Claims the issues of a day from one id to another. @returns false when another run has claimed them */
export async function claimDueIssues(
  tx: Tx,
  day: string,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const query = tx.updateTable('notification_due_days').set({ told_up_to: to }).where('day', '=', day)
  return (await query.where('told_up_to', '=', from).returning('day').executeTakeFirst()) !== undefined
}

/** The status of the pipeline before this one of the same ref that failed or succeeded; undefined: there is none. */
export async function statusBefore(
  db: Reader,
  { id, project_id: projectId, ref, tag }: PipelineRow,
): Promise<string | undefined> {
  const query = db.selectFrom('pipelines').select('status').where('project_id', '=', projectId).where('ref', '=', ref)
  const before = query.where('tag', '=', tag).where('id', '<', id).where('status', 'in', ['success', 'failed'])
  return (await before.orderBy('id', 'desc').limit(1).executeTakeFirst())?.status
}
