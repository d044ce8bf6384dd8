import { sql } from 'kysely'
import { portions, type Reader, type Tx } from '../../../../infra/database/index.ts'
import { settingsOf } from '../../../projects/index.ts'

/** As a condition: whether there are delayed jobs that are due, jobs that wait or run, or pipelines that have not begun. */
export const anyMayBeOverdue = (moment: string) => sql<boolean>`(
  exists (select 1 from ci_jobs where status = 'scheduled' and start_at <= ${moment})
  or exists (select 1 from ci_jobs where status = 'pending' and external = false)
  or exists (select 1 from ci_jobs where status in ('running', 'canceling') and external = false)
  or exists (select 1 from pipelines where status = 'created'))`

/** Delayed jobs that are due, the most overdue first. */
export async function dueDelayed(db: Reader, moment: string, limit: number) {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'pipeline_id'])
    .where('status', '=', 'scheduled')
    .where('start_at', '<=', moment)
    .orderBy('start_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Delayed jobs that are not due. */
export function waitingDelayed(db: Reader, moment: string) {
  const query = db
    .selectFrom('ci_jobs')
    .select(['id', 'start_at', 'start_in_seconds'])
    .where('status', '=', 'scheduled')
  return query.where('start_at', '>', moment).execute()
}

/** Sets when a delayed job that still waits starts. */
export async function startAt(tx: Tx, id: number, start_at: string): Promise<void> {
  await tx.updateTable('ci_jobs').set({ start_at }).where('id', '=', id).where('status', '=', 'scheduled').execute()
}

/** Jobs that have been pending since before a moment. */
export async function pendingSince(db: Reader, moment: string, limit: number) {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'pipeline_id', 'project_id'])
    .where('status', '=', 'pending')
    .where('external', '=', false)
    .where('queued_at', '<', moment)
    .orderBy('queued_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** All jobs on which runners work, in portions. */
export function runningJobs(db: Reader, limit: number) {
  return portions((afterId) =>
    db
      .selectFrom('ci_jobs')
      .innerJoin('projects', 'projects.id', 'ci_jobs.project_id')
      .select(['ci_jobs.id', 'ci_jobs.pipeline_id', 'ci_jobs.status', 'ci_jobs.started_at', 'ci_jobs.heartbeat_at'])
      .select(['ci_jobs.project_id', 'ci_jobs.timeout_seconds', 'projects.settings'])
      .where('ci_jobs.status', 'in', ['running', 'canceling'])
      .where('ci_jobs.external', '=', false)
      .where('ci_jobs.id', '>', afterId)
      .orderBy('ci_jobs.id')
      .limit(limit)
      .execute(),
  )
}

export type RunningJob = Awaited<ReturnType<ReturnType<typeof runningJobs>['next']>>['value'][number]

/** The timeout of a job: its own, or that of its project. */
export function timeoutSeconds({
  timeout_seconds,
  settings,
}: Pick<RunningJob, 'timeout_seconds' | 'settings'>): number {
  return timeout_seconds ?? settingsOf({ settings }).build_timeout
}

/** Pipelines that were created before a moment and have not begun. */
export async function createdBefore(db: Reader, moment: string, limit: number) {
  return db
    .selectFrom('pipelines')
    .select(['id', 'project_id', 'sha'])
    .where('status', '=', 'created')
    .where('created_at', '<', moment)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Jobs of a user that are pending or running. Jobs that are canceled by their runner end by themselves. */
export async function openJobsOfUser(db: Reader, userId: number, limit: number) {
  return db
    .selectFrom('ci_jobs')
    .select(['id', 'pipeline_id', 'project_id'])
    .where('user_id', '=', userId)
    .where('external', '=', false)
    .where('status', 'in', ['pending', 'running'])
    .orderBy('id')
    .limit(limit)
    .execute()
}
