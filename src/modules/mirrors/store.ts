import { type Insertable, sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { acquireLock, type Reader, type Tx, within } from '../../infra/database/index.ts'
import type { PullMirrorRow, PullMirrorsTable, RemoteMirrorRow, RemoteMirrorsTable, UpdateStatus } from './tables.ts'

/** The two kinds of mirrors, by their tables. */
export type MirrorTable = 'remote_mirrors' | 'pull_mirrors'

/** Both tables have the columns that are used of them in common; the types need only one of them. */
const common = (table: MirrorTable) => table as 'remote_mirrors'

/** A page of a project's push mirrors, by id; no total when there are more than are counted. */
export async function pageOfRemoteMirrors(
  db: Reader,
  projectId: number,
  page: PageRequest,
): Promise<Page<RemoteMirrorRow>> {
  const own = db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', projectId)
  return pageOfRows(db, own.orderBy('id'), page)
}

/** A push mirror of this project. */
export async function remoteMirrorOf(db: Reader, projectId: number, id: number): Promise<RemoteMirrorRow | null> {
  const query = db.selectFrom('remote_mirrors').selectAll().where('project_id', '=', projectId).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

export async function remoteMirrorById(db: Reader, id: number): Promise<RemoteMirrorRow | null> {
  return (await db.selectFrom('remote_mirrors').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** How many push mirrors a project has; nobody else adds one until the transaction ends. */
export async function countRemoteMirrors(tx: Tx, projectId: number): Promise<number> {
  await acquireLock(tx, `remote_mirrors:${projectId}`)
  const { count } = await tx
    .selectFrom('remote_mirrors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertRemoteMirror(tx: Tx, mirror: Insertable<RemoteMirrorsTable>): Promise<RemoteMirrorRow> {
  return tx.insertInto('remote_mirrors').values(mirror).returningAll().executeTakeFirstOrThrow()
}

/** Changes a push mirror and returns it; null when it has gone. */
export async function updateRemoteMirror(
  tx: Tx,
  id: number,
  changes: Updateable<RemoteMirrorsTable>,
): Promise<RemoteMirrorRow | null> {
  const query = tx.updateTable('remote_mirrors').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

export async function deleteRemoteMirror(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('remote_mirrors').where('id', '=', id).execute()
}

/** The push mirrors that a push to this repository concerns. */
export async function remoteMirrorsOfRepository(db: Reader, repositoryId: number): Promise<RemoteMirrorRow[]> {
  return db
    .selectFrom('remote_mirrors')
    .innerJoin('repositories', 'repositories.project_id', 'remote_mirrors.project_id')
    .selectAll('remote_mirrors')
    .where('repositories.id', '=', repositoryId)
    .where('repositories.kind', '=', 'project')
    .where('remote_mirrors.enabled', '=', true)
    .orderBy('remote_mirrors.id')
    .execute()
}

export async function pullMirrorOf(db: Reader, projectId: number): Promise<PullMirrorRow | null> {
  const query = db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId)
  return (await query.executeTakeFirst()) ?? null
}

export async function pullMirrorById(db: Reader, id: number): Promise<PullMirrorRow | null> {
  return (await db.selectFrom('pull_mirrors').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `pull_mirrors_project_unique` */
export async function insertPullMirror(tx: Tx, mirror: Insertable<PullMirrorsTable>): Promise<PullMirrorRow> {
  return tx.insertInto('pull_mirrors').values(mirror).returningAll().executeTakeFirstOrThrow()
}

export async function updatePullMirror(
  tx: Tx,
  id: number,
  changes: Updateable<PullMirrorsTable>,
): Promise<PullMirrorRow | null> {
  const query = tx.updateTable('pull_mirrors').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

/** Lets mirrors run at this time, unless they are going to run before it. */
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

/** Says when a mirror that cannot run now is to be looked at again. */
export async function postpone(tx: Tx, table: MirrorTable, id: number, dueAt: string | null): Promise<void> {
  await tx.updateTable(common(table)).set({ due_at: dueAt }).where('id', '=', id).execute()
}

/** Push mirrors whose time has come, the longest waiting first. */
export async function duePushes(db: Reader, now: string, limit: number): Promise<number[]> {
  const query = db.selectFrom('remote_mirrors').select('id').where('due_at', '<=', now)
  const rows = await query.orderBy('due_at').orderBy('id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Pull mirrors whose time has come, the longest waiting first; those of projects that are no mirrors now are passed over. */
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
    // The one form in which both engines have the same text for a boolean inside JSON.
    .where(sql<boolean>`cast(projects.settings -> 'mirror' as text) = 'true'`)
    .orderBy('pull_mirrors.due_at')
    .orderBy('pull_mirrors.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Notes that a mirror runs. @param lostAt when it is to be run again, should nothing be heard of this run */
export async function beginRun(
  tx: Tx,
  table: MirrorTable,
  id: number,
  { now, lostAt }: { now: string; lostAt: string },
): Promise<void> {
  const begun = { update_status: 'started' as const, last_update_started_at: now, due_at: lostAt }
  await tx.updateTable(common(table)).set(begun).where('id', '=', id).execute()
}

export type EndOfRun = {
  now: string
  lostAt: string
  /** Null when all went well. */
  error: string | null
  failures: number
  /** When it is to run again, unless something has asked for that meanwhile. */
  nextAt: string | null
}

/**
 * Notes how a run ended; what was asked for while it ran stands.
 * @returns when the mirror is to run next; null for never, or when it has gone
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
