import { sql } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import { type PullMirrorRow, pullMirrors, type UpdateStatus } from './tables.ts'

/** The two kinds of mirrors, by their tables. */
export type MirrorTable = 'remote_mirrors' | 'pull_mirrors'

/** Both tables have the columns of runs, so the types of one table serve for both. */
const common = (table: MirrorTable) => table as 'remote_mirrors'

/** The mirror of a table with an id. */
export async function mirrorById<Mirror>(db: Reader, table: MirrorTable, id: number): Promise<Mirror | null> {
  const query = db.selectFrom(common(table)).selectAll().where('id', '=', id)
  return ((await query.executeTakeFirst()) as Mirror | undefined) ?? null
}

/** Makes mirrors due at a time, unless they are due before. */
export async function makeDue(tx: Tx, table: MirrorTable, ids: readonly number[], dueAt: string): Promise<void> {
  await tx
    .updateTable(common(table))
    .set({
      due_at: dueAt,
      update_status: sql<UpdateStatus>`case when update_status = 'started' then 'started' else 'scheduled' end`,
    })
    .where(within(tx, `${table}.id`, ids))
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '>', dueAt)]))
    .execute()
}

/** Sets when a mirror that cannot run now is due again. */
export async function postpone(tx: Tx, table: MirrorTable, id: number, dueAt: string | null): Promise<void> {
  await tx.updateTable(common(table)).set({ due_at: dueAt }).where('id', '=', id).execute()
}

/** As a condition: whether mirrors are due, or would be if their projects were mirrors now. */
export const anyMirrorIsDue = (now: string, maximumFailures: number) => sql<boolean>`(
  exists (select 1 from remote_mirrors where due_at <= ${now})
  or exists (select 1 from pull_mirrors where due_at <= ${now} and failures < ${maximumFailures}))`

/** The push mirrors that are due, longest first. */
export async function duePushes(db: Reader, now: string, limit: number): Promise<number[]> {
  const query = db.selectFrom('remote_mirrors').select('id').where('due_at', '<=', now)
  const rows = await query.orderBy('due_at').orderBy('id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** The pull mirrors that are due, longest first, without those of projects that are not mirrors now. */
export async function duePulls(
  db: Reader,
  now: string,
  { limit, maximumFailures }: { limit: number; maximumFailures: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('pull_mirrors')
    .innerJoin('projects', 'projects.id', 'pull_mirrors.project_id')
    .select('pull_mirrors.id')
    .where('pull_mirrors.due_at', '<=', now)
    .where('pull_mirrors.failures', '<', maximumFailures)
    // Both engines have the same text for a boolean in JSON only in this form.
    .where(sql<boolean>`cast(projects.settings -> 'mirror' as text) = 'true'`)
    .orderBy('pull_mirrors.due_at')
    .orderBy('pull_mirrors.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Records the start of a run. @param lostAt when the mirror is due again if this run never ends */
export async function beginRun(
  tx: Tx,
  table: MirrorTable,
  id: number,
  { now, lostAt }: { now: string; lostAt: string },
): Promise<void> {
  const begun = { update_status: 'started' as const, last_update_started_at: now, due_at: lostAt }
  await tx.updateTable(common(table)).set(begun).where('id', '=', id).execute()
}

type EndOfRun = {
  now: string
  lostAt: string
  /** Null after success. */
  error: string | null
  failures: number
  /** The next run, unless one was requested meanwhile. */
  nextAt: string | null
}

/**
 * Records the end of a run. A run that was requested meanwhile stays due.
 * @returns when the mirror is due next; null when it is not, or was deleted
 */
export async function endRun(tx: Tx, table: MirrorTable, id: number, end: EndOfRun): Promise<string | null> {
  const { now, lostAt, error, failures, nextAt } = end
  const row = await tx
    .updateTable(common(table))
    .set({
      update_status: error === null ? 'finished' : 'failed',
      last_update_at: now,
      ...(error === null ? { last_successful_update_at: now } : {}),
      last_error: error,
      failures,
      due_at: sql<string | null>`case when due_at = ${lostAt} then ${nextAt} else due_at end`,
    })
    .where('id', '=', id)
    .returning('due_at')
    .executeTakeFirst()
  return row?.due_at ?? null
}

export const { insert: insertPullMirror, update: updatePullMirror } = rows(pullMirrors)

export async function pullMirrorOf(db: Reader, projectId: number): Promise<PullMirrorRow | null> {
  const query = db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}
