import { sql } from 'kysely'
import { type Tx, typeOf, within } from '../../../../infra/database/index.ts'
import type { CiJobRow } from '../../tables.ts'

/** Columns that a new job takes over from the one that it replaces. */
const kept = [
  ...['project_id', 'pipeline_id', 'external', 'sha', 'ref', 'stage', 'stage_index', 'name', 'allow_failure'],
  ...['uses_needs', 'start_in_seconds', 'protected', 'interruptible', 'resource_group', 'tag_list', 'environment'],
].map((name) => sql.ref(name))

/** Copies rows that belong to jobs, from the old jobs to the new ones of the same name and pipeline. */
async function copyRows(
  tx: Tx,
  table: 'ci_job_definitions' | 'ci_job_needs' | 'ci_job_variables',
  columns: readonly string[],
  [oldIds, newIds]: readonly [readonly number[], readonly number[]],
): Promise<void> {
  const list = sql.join(columns.map((name) => sql.ref(name)))
  const source = sql.join(columns.map((name) => sql.ref(`source.${name}`)))
  await sql`insert into ${sql.table(table)} (job_id, ${list})
    select newer.id, ${source} from ci_jobs newer
    join ci_jobs older on older.pipeline_id = newer.pipeline_id and older.name = newer.name
    join ${sql.table(table)} source on source.job_id = older.id
    where ${within(tx, 'newer.id', newIds)} and ${within(tx, 'older.id', oldIds)}
    ${table === 'ci_job_variables' ? sql`and source.from_report = false` : sql``}`.execute(tx)
}

/**
 * Replaces jobs by new ones that are `created`; the old ones are marked as retried. A manual or delayed job has been started
 * before, so the new one does not wait to be started again.
 * @param retries number of automatic retries before the new jobs
 * @param frozen whether the project is frozen now
 * @param userId who retries them; without it the user of the old jobs
 * @returns the ids of the new jobs
 */
export async function replaceJobs(
  tx: Tx,
  jobs: readonly CiJobRow[],
  { moment, retries, userId, frozen }: { moment: string; retries: number; userId?: number | null; frozen: boolean },
): Promise<number[]> {
  if (jobs.length === 0) return []
  const oldIds = jobs.map(({ id }) => id)
  await tx
    .updateTable('ci_jobs')
    .set({ retried: true, updated_at: moment })
    .where(within(tx, 'id', oldIds))
    .execute()
  const user = userId === undefined ? sql.ref('user_id') : sql`cast(${userId} as bigint)`
  const { rows } = await sql<{ id: number }>`
    insert into ci_jobs (${sql.join(kept)}, run_when, user_id, timeout_seconds, status, retries, frozen, created_at, updated_at)
    select ${sql.join(kept)},
      case when run_when in ('manual', 'delayed') then 'on_success' else run_when end,
      ${user}, timeout_seconds, 'created', cast(${retries} as integer), ${sql.lit(frozen)},
      cast(${moment} as ${typeOf(tx, 'time')}),
      cast(${moment} as ${typeOf(tx, 'time')})
    from ci_jobs where ${within(tx, 'id', oldIds)} order by id
    returning id`.execute(tx)
  const newIds = rows.map(({ id }) => id)
  const pair = [oldIds, newIds] as const
  await copyRows(tx, 'ci_job_definitions', ['definition'], pair)
  await copyRows(tx, 'ci_job_needs', ['name', 'artifacts', 'optional'], pair)
  await copyRows(tx, 'ci_job_variables', ['key', 'sealed_value', 'from_report'], pair)
  return newIds
}
