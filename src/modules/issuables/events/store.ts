import { type Insertable, type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { Events } from '../../../platform/index.ts'
import { type ChangeOrigin, columnsOf, type IssuableColumns, type IssuableRef } from '../issuable.ts'
import { refersTo } from '../store.ts'
import type { EventRow, EventTable, EventTables } from '../tables.ts'

/** The tables whose rows a user has written. */
const recorded = [
  'resource_label_events',
  'resource_milestone_events',
  'resource_weight_events',
  'resource_iteration_events',
  'resource_state_events',
  'time_logs',
] as const

/** What a kind of events has besides the head of every record. */
type Details<Table extends EventTable> = Omit<
  Insertable<EventTables[Table]>,
  keyof IssuableColumns | 'id' | 'user_id' | 'created_at'
>

/** Stores these events for each of these issuables, in their order. */
export async function insertEvents<Table extends EventTable>(
  tx: Tx,
  table: Table,
  targets: readonly IssuableRef[],
  { userId, at }: ChangeOrigin,
  events: readonly Details<Table>[],
): Promise<void> {
  const rows = targets.flatMap((target) =>
    events.map((event) => ({ ...columnsOf(target), ...event, user_id: userId, created_at: at })),
  )
  if (rows.length > 0)
    await tx
      .insertInto(table)
      .values(rows as never)
      .execute()
}

type Target = Pick<IssuableRef, 'type' | 'id'>

/** A page of the events of one kind of an issuable, oldest first. */
export async function pageOfEvents<Table extends EventTable>(
  db: Reader,
  table: Table,
  target: Target,
  page: PageRequest,
): Promise<Page<EventRow<Table>>> {
  const query = db
    .selectFrom(table as 'resource_label_events')
    .selectAll()
    .where(refersTo(target))
  return (await pageOfRows(db, query.orderBy('id'), page)) as Page<EventRow<EventTable>> as Page<EventRow<Table>>
}

export async function eventOf<Table extends EventTable>(
  db: Reader,
  table: Table,
  target: Target,
  id: number,
): Promise<EventRow<Table> | null> {
  const query = db
    .selectFrom(table as 'resource_label_events')
    .selectAll()
    .where(refersTo(target))
  return ((await query.where('id', '=', id).executeTakeFirst()) as EventRow<EventTable> as EventRow<Table>) ?? null
}

/** Makes one user the author of another's events and time logs. */
export async function giveEventsTo(tx: Tx, from: number, to: number): Promise<void> {
  for (const table of recorded) {
    await tx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute()
  }
}

/** Whether a user has events or time logs. */
export async function hasEvents(db: Reader, userId: number): Promise<boolean> {
  for (const table of recorded) {
    const query = db.selectFrom(table).select('id').where('user_id', '=', userId).limit(1)
    if (await query.executeTakeFirst()) return true
  }
  return false
}

/** Lets the events that name one of these milestones name another one. @param merged `projectId`: only in this project */
export async function replaceMilestones(
  tx: Tx,
  { milestoneIds, intoId, projectId }: Events['milestones.merged'],
): Promise<void> {
  const query = tx.updateTable('resource_milestone_events').set({ milestone_id: intoId })
  await query
    .where(within(tx, 'milestone_id', milestoneIds))
    .$if(projectId !== undefined, (all) => all.where('project_id', '=', projectId as number))
    .execute()
}

/** The milestones that events of the issuables of a project name. */
export async function milestonesOfEvents(db: Reader, projectId: number): Promise<number[]> {
  const query = db.selectFrom('resource_milestone_events').select('milestone_id').distinct()
  const rows = await query.where('project_id', '=', projectId).where('milestone_id', 'is not', null).execute()
  return rows.map(({ milestone_id }) => milestone_id as number)
}

/** The columns of each kind of events besides the head and the issuable. */
const details: Readonly<Record<EventTable, string>> = {
  resource_label_events: 'label_id, action',
  resource_milestone_events: 'milestone_id, action',
  resource_weight_events: 'weight',
  resource_iteration_events: 'iteration_id, action',
  resource_state_events: 'state, source_commit, source_merge_request_id',
}

/**
 * Copies the events of an issue to another one, with new ids, the same users and times (contract 18, "issue moved"). Those
 * of labels are copied by `copyLabels`.
 */
export async function copyEvents(tx: Tx, from: Target, to: IssuableRef): Promise<void> {
  for (const table of Object.keys(details) as EventTable[]) {
    if (table !== 'resource_label_events') await copyRows(tx, table, from, to, sql.raw(details[table]))
  }
}

async function copyRows(tx: Tx, table: EventTable, from: Target, to: IssuableRef, values: RawBuilder<unknown>) {
  const target = sql`${to.type}, cast(${to.id} as bigint), cast(${to.projectId} as bigint), cast(${to.groupId} as bigint)`
  const columns = sql.raw(`issuable_type, issuable_id, project_id, group_id, user_id, created_at, ${details[table]}`)
  await sql`insert into ${sql.table(table)} (${columns})
    select ${target}, user_id, created_at, ${values} from ${sql.table(table)} where ${refersTo(from)} order by id`.execute(
    tx,
  )
}

/** Copies the events of labels to another issuable. @param replaced ids of labels there, by those here; others stay */
export async function copyLabelEvents(
  tx: Tx,
  from: Target,
  to: IssuableRef,
  replaced: ReadonlyMap<number, number>,
): Promise<void> {
  const cases = [...replaced].map(([id, other]) => sql`when ${id} then cast(${other} as bigint)`)
  const label = cases.length > 0 ? sql`case label_id ${sql.join(cases, sql` `)} else label_id end` : sql`label_id`
  await copyRows(tx, 'resource_label_events', from, to, sql`${label}, action`)
}
