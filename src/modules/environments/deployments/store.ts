import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type DeploymentRow, deployments } from '../tables.ts'
import type { DeploymentFilter } from './params.ts'

export const {
  byId: deploymentById,
  byIds: deploymentsByIds,
  insert: insertDeployment,
  insertAll: insertDeployments,
  update: updateDeploymentRow,
  remove: removeDeployments,
} = rows(deployments)

/** The ids of the deployments that have shipped a merge request. */
const deploymentsShipping = (db: Reader, mergeRequestId: number) =>
  db.selectFrom('deployment_merge_requests').select('deployment_id').where('merge_request_id', '=', mergeRequestId)

/** Of one environment only, and only those that have shipped a merge request. */
type Narrowing = { environmentId?: number | undefined; mergeRequestId?: number | undefined }

/** A page of the deployments of a project (contract 24, x.deployments_list). */
export async function pageOfDeployments(
  db: Reader,
  projectId: number,
  filter: Omit<DeploymentFilter, 'environment' | 'merge_request_iid'> & Narrowing,
  page: PageRequest,
): Promise<Page<DeploymentRow>> {
  const { order_by: column = 'id', sort = 'asc', status, environmentId, mergeRequestId } = filter
  let query = db.selectFrom('deployments').select('id').where('project_id', '=', projectId)
  if (environmentId !== undefined) query = query.where('environment_id', '=', environmentId)
  if (status !== undefined) query = query.where('status', '=', status)
  if (filter.updated_after) query = query.where('updated_at', '>=', filter.updated_after)
  if (filter.updated_before) query = query.where('updated_at', '<=', filter.updated_before)
  if (filter.finished_after) query = query.where('finished_at', '>=', filter.finished_after)
  if (filter.finished_before) query = query.where('finished_at', '<=', filter.finished_before)
  if (filter.job_id !== undefined) query = query.where('job_id', '=', filter.job_id)
  if (filter.pipeline_id !== undefined) query = query.where('pipeline_id', '=', filter.pipeline_id)
  if (filter.sha !== undefined) query = query.where('sha', '=', filter.sha)
  if (mergeRequestId !== undefined) query = query.where('id', 'in', deploymentsShipping(db, mergeRequestId))
  const ordered = column === 'id' ? query : query.orderBy(column, sort)
  return pageOfIds(db, ordered.orderBy('id', sort), page, (ids) => deploymentsByIds(db, ids))
}

/** The newest deployment of an environment, whatever its status. */
export async function newestDeployment(db: Reader, environmentId: number): Promise<DeploymentRow | null> {
  const query = db.selectFrom('deployments').selectAll().where('environment_id', '=', environmentId)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The newest successful deployment of an environment. @param before of those with a smaller id */
export async function newestSuccessful(
  db: Reader,
  environmentId: number,
  before?: number,
): Promise<DeploymentRow | null> {
  let query = db.selectFrom('deployments').selectAll().where('environment_id', '=', environmentId)
  query = query.where(sql<boolean>`status = 'success'`)
  if (before !== undefined) query = query.where('id', '<', before)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The newest deployments of environments. @param isSuccessful among those that succeeded */
async function newestOf(
  db: Reader,
  environmentIds: readonly number[],
  isSuccessful: boolean,
): Promise<DeploymentRow[]> {
  if (environmentIds.length === 0) return []
  let query = db
    .selectFrom('deployments')
    .select(({ fn }) => fn.max('id').as('id'))
    .where(within(db, 'environment_id', environmentIds))
  if (isSuccessful) query = query.where(sql<boolean>`status = 'success'`)
  const newest = await query.groupBy('environment_id').execute()
  const ids = newest.map(({ id }) => id)
  return [...(await deploymentsByIds(db, ids)).values()]
}

/** The newest deployments of environments, whatever their status. */
export const newestDeployments = (db: Reader, environmentIds: readonly number[]): Promise<DeploymentRow[]> =>
  newestOf(db, environmentIds, false)

/** The newest successful deployments of environments, by environment. */
export async function newestSuccessfulOf(
  db: Reader,
  environmentIds: readonly number[],
): Promise<Map<number, DeploymentRow>> {
  return new Map((await newestOf(db, environmentIds, true)).map((row) => [row.environment_id, row]))
}

/** The deployments that these jobs have made. */
export async function deploymentsOfJobs(db: Reader, jobIds: readonly number[]): Promise<DeploymentRow[]> {
  if (jobIds.length === 0) return []
  const query = db
    .selectFrom('deployments')
    .selectAll()
    .where(within(db, 'job_id', jobIds))
  return query.orderBy('id').execute()
}

/** The newest deployment of an environment that a job has made and that has ended. */
export async function newestFinishedOfJobs(db: Reader, environmentId: number): Promise<DeploymentRow | null> {
  const query = db.selectFrom('deployments').selectAll().where('environment_id', '=', environmentId)
  const finished = query.where('finished_at', 'is not', null).where('pipeline_id', 'is not', null)
  return (await finished.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The names of the jobs that stop an environment, as the jobs of one pipeline say that deployed to it. */
export async function stopJobsOf(db: Reader, environmentId: number, pipelineId: number): Promise<string[]> {
  const query = db
    .selectFrom('deployments')
    .select('on_stop')
    .where('environment_id', '=', environmentId)
    .where('pipeline_id', '=', pipelineId)
    .where('on_stop', 'is not', null)
    .distinct()
  return (await query.execute()).flatMap(({ on_stop }) => on_stop ?? [])
}

/** The available environments of a project of which the newest deployment is from this branch. */
export async function environmentsOfBranch(db: Reader, projectId: number, ref: string): Promise<number[]> {
  const { rows: found } = await sql<{ id: number }>`
    select environments.id from environments
    where environments.project_id = ${projectId} and environments.state = 'available'
      and exists (select 1 from deployments newest where newest.ref = ${ref} and newest.tag = false
        and newest.id = (select max(d.id) from deployments d where d.environment_id = environments.id))
    order by environments.id`.execute(db as never)
  return found.map(({ id }) => id)
}

/** Those of these environments to which something was deployed since a moment. */
export async function deployedSince(db: Reader, ids: readonly number[], moment: string): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const query = db
    .selectFrom('deployments')
    .select('environment_id')
    .where(within(db, 'environment_id', ids))
  const found = await query.where('created_at', '>=', moment).distinct().execute()
  return new Set(found.map(({ environment_id }) => environment_id))
}

/** Records which merge requests a deployment has shipped. */
export async function linkMergeRequests(tx: Tx, deploymentId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .insertInto('deployment_merge_requests')
    .values(ids.map((merge_request_id) => ({ deployment_id: deploymentId, merge_request_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The merge requests that a deployment has shipped. */
export async function linkedMergeRequests(db: Reader, deploymentId: number): Promise<number[]> {
  const query = db.selectFrom('deployment_merge_requests').select('merge_request_id')
  const found = await query.where('deployment_id', '=', deploymentId).orderBy('merge_request_id').execute()
  return found.map(({ merge_request_id }) => merge_request_id)
}

/** When each of these merge requests was first deployed to an environment of the tier `production`. */
export async function firstInProduction(db: Reader, mergeRequestIds: readonly number[]): Promise<Map<number, string>> {
  if (mergeRequestIds.length === 0) return new Map()
  const found = await db
    .selectFrom('deployment_merge_requests')
    .innerJoin('deployments', 'deployments.id', 'deployment_merge_requests.deployment_id')
    .innerJoin('environments', 'environments.id', 'deployments.environment_id')
    .select(['merge_request_id', ({ fn }) => fn.min('deployments.finished_at').as('at')])
    .where(within(db, 'merge_request_id', mergeRequestIds))
    .where('environments.tier', '=', 'production')
    .groupBy('merge_request_id')
    .execute()
  return new Map(found.flatMap(({ merge_request_id, at }) => (at === null ? [] : [[merge_request_id, at]])))
}
