import { sql } from 'kysely'
import {
  type Condition,
  isFound,
  locked,
  prepareQuery,
  type Reader,
  rows,
  type Tx,
  within,
} from '../../../infra/database/index.ts'
import { type RunnerManagerRow, type RunnerRow, runners } from '../tables.ts'

export const { byId: runnerById, insert: insertRunner, update: updateRunner, remove: deleteRunner } = rows(runners)

export async function runnersByIds(db: Reader, ids: readonly number[]): Promise<RunnerRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('runners')
    .selectAll()
    .where(within(db, 'id', ids))
    .execute()
}

const byDigest = prepareQuery((db, { digest }: { digest: string }) =>
  db.selectFrom('runners').selectAll().where('token_digest', '=', digest),
)

/** The runner of a token, also of an expired one. */
export async function runnerByDigest(db: Reader, digest: string): Promise<RunnerRow | null> {
  return (await byDigest(db, { digest }))[0] ?? null
}

/** Locks a runner until the transaction ends, so that its projects do not change. */
export async function lockRunner(tx: Tx, id: number): Promise<RunnerRow | null> {
  const query = tx.selectFrom('runners').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** The managers of a runner, by id. */
export async function managersOf(db: Reader, runnerId: number): Promise<RunnerManagerRow[]> {
  return db.selectFrom('runner_managers').selectAll().where('runner_id', '=', runnerId).orderBy('id').execute()
}

export async function managersByIds(db: Reader, ids: readonly number[]): Promise<RunnerManagerRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('runner_managers')
    .selectAll()
    .where(within(db, 'id', ids))
    .execute()
}

/** The ids of the projects of a runner, the owner first. */
export async function projectIdsOf(db: Reader, runnerId: number): Promise<number[]> {
  const query = db.selectFrom('runner_projects').select('project_id').where('runner_id', '=', runnerId).orderBy('id')
  return (await query.execute()).map(({ project_id }) => project_id)
}

/** The projects of a runner that meet the conditions, by the order of their assignment. */
export async function projectsOfRunner(db: Reader, runnerId: number, conditions: readonly Condition[]) {
  return db
    .selectFrom('runner_projects')
    .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where('runner_projects.runner_id', '=', runnerId)
    .where(sql<boolean>`${sql.join(conditions, sql` and `)}`)
    .select(['projects.id', 'projects.name', 'projects.path', 'projects.full_path'])
    .select('namespaces.full_name as namespace_full_name')
    .orderBy('runner_projects.id')
    .execute()
}

/** Whether a project of a runner meets the condition: one after another is tested until one does. */
export async function hasProjectOf(db: Reader, runnerId: number, condition: Condition): Promise<boolean> {
  const found = isFound(
    db,
    sql`runner_projects a cross join projects
      where a.runner_id = ${runnerId} and projects.id = a.project_id and ${condition}`,
  )
  const { rows } = await sql<{ one: number }>`select 1 as one where ${found}`.execute(db as never)
  return rows.length > 0
}

/** @throws UniqueViolation of `runner_projects_unique` */
export async function assignProject(tx: Tx, runnerId: number, projectId: number): Promise<void> {
  await tx.insertInto('runner_projects').values({ runner_id: runnerId, project_id: projectId }).execute()
}

export async function unassignProject(tx: Tx, runnerId: number, projectId: number): Promise<void> {
  const query = tx.deleteFrom('runner_projects').where('runner_id', '=', runnerId)
  await query.where('project_id', '=', projectId).execute()
}

/** The number of runners of a group or project. */
export async function countRunners(db: Reader, of: { groupId: number } | { projectId: number }): Promise<number> {
  const count = sql<number>`count(*)`.as('count')
  const query =
    'groupId' in of
      ? db.selectFrom('runners').select(count).where('namespace_id', '=', of.groupId)
      : db.selectFrom('runner_projects').select(count).where('project_id', '=', of.projectId)
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** Deletes the runners that only this project has; those of several projects stay with the others. */
export async function deleteRunnersOfProject(
  _platform: unknown,
  tx: Tx,
  { projectId }: { projectId: number },
): Promise<void> {
  await sql`delete from runners where id in (
    select runner_id from runner_projects where project_id = ${projectId}
      and not exists (select 1 from runner_projects other
        where other.runner_id = runner_projects.runner_id and other.project_id <> ${projectId}))`.execute(tx)
}

/** Which of these runners, or of the managers of a runner, work on a job. */
export async function busyIds(
  db: Reader,
  column: 'runner_id' | 'runner_manager_id',
  runnerIds: readonly number[],
): Promise<Set<number>> {
  if (runnerIds.length === 0) return new Set()
  // The project is in the indexes that have the states too, so SQLite does not read all jobs of a runner.
  const isWorking = sql`project_id > 0 and status in ('running', 'canceling') and external = false`
  const query =
    column === 'runner_id'
      ? // One job is enough: a runner may have thousands.
        sql<{ id: number | null }>`select id from runners where ${within(db, 'id', runnerIds)}
          and exists (select 1 from ci_jobs where runner_id = runners.id and ${isWorking})`
      : sql<{ id: number | null }>`select distinct runner_manager_id as id from ci_jobs
          where ${within(db, 'runner_id', runnerIds)} and ${isWorking}`
  const { rows } = await query.execute(db as never)
  return new Set(rows.flatMap(({ id }) => id ?? []))
}
