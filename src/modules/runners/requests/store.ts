import { type RawBuilder, sql } from 'kysely'
import { isDriven, jsonHasAll, jsonText, prepareQuery, type Reader, typeOf } from '../../../infra/database/index.ts'
import type { RunnerRow } from '../tables.ts'

// Literals, so that the partial index of pending jobs is used.
const isPending = sql<boolean>`ci_jobs.status = 'pending' and ci_jobs.external = false`

const queue = prepareQuery((db) =>
  db
    .selectFrom('ci_jobs')
    .select([sql<number>`count(*)`.as('count'), sql<string | number | null>`sum(id)`.as('sum')])
    .select(sql<string | null>`max(queued_at)`.as('newest'))
    .where(isPending),
)

/** Says which jobs are pending: two equal texts mean the same jobs. */
export async function queueState(db: Reader): Promise<string> {
  const [row] = await queue(db, {})
  return `${row?.count}:${row?.sum ?? 0}:${row?.newest ?? ''}`
}

const settingIsOn = (name: 'shared_runners_enabled' | 'group_runners_enabled') =>
  sql<boolean>`coalesce(cast(projects.settings -> ${sql.lit(name)} as text), 'true') <> 'false'`

/** The projects that a runner serves (contract 04, "Job selection for a runner"). */
function isServed(db: Reader, { id, runner_type, namespace_id }: RunnerRow): RawBuilder<boolean> {
  if (runner_type === 'instance_type') return settingIsOn('shared_runners_enabled')
  if (runner_type === 'project_type') {
    return sql<boolean>`ci_jobs.project_id in (select a.project_id from runner_projects a where a.runner_id = ${id})`
  }
  const below = sql`select reach.namespace_id from namespace_ancestors reach where reach.ancestor_id = ${namespace_id}`
  const isBelow = isDriven(db, sql.ref('projects.namespace_id'), below)
  return sql<boolean>`(${isBelow} and ${settingIsOn('group_runners_enabled')})`
}

/** The number of jobs of each project on which runners of the instance work. */
const running = sql`select r.project_id, count(*) as jobs from ci_jobs r join runners s on s.id = r.runner_id
  where s.runner_type = 'instance_type' and r.status in ('running', 'canceling') and r.external = false
  group by r.project_id`

/**
 * Counts the running jobs of the candidates' projects. PostgreSQL expects few candidates and would count again for each of them:
 * there the counts are one value, which is computed once.
 */
function countRunning(db: Reader): { join: RawBuilder<unknown>; count: RawBuilder<unknown> } {
  if (db.engine === 'sqlite') {
    return {
      join: sql`left join (${running}) running on running.project_id = ci_jobs.project_id`,
      count: sql`coalesce(running.jobs, 0)`,
    }
  }
  const counts = sql`select jsonb_object_agg(running.project_id, running.jobs) from (${running}) running`
  return { join: sql``, count: sql`coalesce(cast((${counts}) ->> cast(ci_jobs.project_id as text) as bigint), 0)` }
}

/**
 * The ids of the pending jobs that a runner may take, the first to take first: of runners of the instance those of the project with the
 * fewest running jobs, then the oldest (contract 04, "Job selection for a runner").
 * @param queuedBefore ISO text; later jobs are left out
 */
export async function candidates(
  db: Reader,
  runner: RunnerRow,
  { queuedBefore, limit }: { queuedBefore: string | null; limit: number },
): Promise<number[]> {
  const tags = sql`cast(${jsonText(runner.tag_list)} as ${typeOf(db, 'json')})`
  const isTagged = jsonHasAll(db, tags, sql.ref('ci_jobs.tag_list'))
  const isShared = runner.runner_type === 'instance_type'
  const { join, count } = countRunning(db)
  const conditions = [
    isPending,
    sql<boolean>`projects.pending_delete = false and projects.archived = false`,
    sql<boolean>`coalesce(projects.settings ->> 'builds_access_level', 'enabled') <> 'disabled'`,
    isServed(db, runner),
    isTagged,
    ...(runner.run_untagged ? [] : [sql<boolean>`cast(ci_jobs.tag_list as text) <> '[]'`]),
    ...(runner.access_level === 'ref_protected' ? [sql<boolean>`ci_jobs.protected = true`] : []),
    ...(queuedBefore === null ? [] : [sql<boolean>`ci_jobs.queued_at <= ${queuedBefore}`]),
  ]
  const { rows } = await sql<{ id: number }>`
    select ci_jobs.id from ci_jobs join projects on projects.id = ci_jobs.project_id ${isShared ? join : sql``}
    where ${sql.join(conditions, sql` and `)}
    order by ${isShared ? sql`${count}, ` : sql``}ci_jobs.id
    limit ${limit}`.execute(db as never)
  return rows.map(({ id }) => id)
}
