import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { badRequest, type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import {
  type Condition,
  prepareQuery,
  type Reader,
  sortedBy,
  type Tables,
  type TestUse,
  type Tx,
  unindexed,
  within,
} from '../../../infra/database/index.ts'
import { requestSource } from '../../ci-config/index.ts'
import type { CiJobRow, CiState, PipelineRow, PipelineVariableRow } from '../tables.ts'
import type { CommonFilter, PipelineFilter } from './params.ts'

const ofProject = prepareQuery((db, { id, projectId }: { id: number; projectId: number }) =>
  db.selectFrom('pipelines').selectAll().where('id', '=', id).where('project_id', '=', projectId),
)

export async function pipelineOfProject(db: Reader, projectId: number, id: number): Promise<PipelineRow | null> {
  return (await ofProject(db, { id, projectId }))[0] ?? null
}

const scopeStates: Record<'running' | 'pending' | 'finished', readonly CiState[]> = {
  running: ['running'],
  pending: ['pending'],
  finished: ['success', 'failed', 'canceled', 'skipped'],
}

/** When a pipeline was made, ran and ended. */
export type PipelineTimes = Pick<PipelineRow, 'status' | 'created_at' | 'started_at' | 'finished_at'>

/** The times of the newest pipelines of a project. */
export function newestTimes(db: Reader, projectId: number, limit: number): Promise<PipelineTimes[]> {
  const all = db.selectFrom('pipelines').select(['status', 'created_at', 'started_at', 'finished_at'])
  return all.where('project_id', '=', projectId).orderBy('id', 'desc').limit(limit).execute()
}

/** The pipelines of a list, before filtering: those of a project, or of one of its schedules. */
type Pipelines = { projectId: number; scheduleId?: number }

type Query = SelectQueryBuilder<Tables, 'pipelines', object>

function inRange(db: Reader, { projectId, scheduleId }: Pipelines): Query {
  const all = db.selectFrom('pipelines')
  if (scheduleId === undefined) return all.where('pipelines.project_id', '=', projectId)
  // SQLite would take an index of the project, which has more pipelines.
  const isOfProject = sql<boolean>`${unindexed(db, 'pipelines.project_id')} = ${projectId}`
  return all.where(isOfProject).where('pipelines.schedule_id', '=', scheduleId)
}

/**
 * The newest pipeline of each branch or tag of a project: one seek of an index for each, however many pipelines it has. The refs of merge
 * requests are passed over together.
 */
function newestOfRefs(projectId: number, tag: boolean): RawBuilder<unknown> {
  const isListed = sql`p.project_id = ${projectId} and p.tag = ${tag}`
  const isOfRequest = sql`(refs.ref >= 'refs/merge-requests/' and refs.ref < 'refs/merge-requests0')`
  const passed = sql`(case when ${isOfRequest} then 'refs/merge-requests0' else refs.ref end)`
  return sql`with recursive refs (ref) as (
      select min(p.ref) from pipelines p where ${isListed}
      union all
      select (select min(p.ref) from pipelines p where ${isListed} and p.ref > ${passed}) from refs
        where refs.ref is not null)
    select (select max(p.id) from pipelines p where ${isListed} and p.ref = refs.ref) from refs
      where refs.ref is not null and not ${isOfRequest}`
}

/** Those of these pipelines that meet a filter. */
function filtered(db: Reader, pipelines: Pipelines, filter: CommonFilter, use: TestUse): Query {
  let query = inRange(db, pipelines)
  const column = (name: string) => (use === 'tests' ? unindexed(db, name) : sql.ref(name))
  const [created, updated] = [column('pipelines.created_at'), column('pipelines.updated_at')]
  const { scope, status } = filter
  if (scope === 'branches' || scope === 'tags') {
    const newest = newestOfRefs(pipelines.projectId, scope === 'tags')
    query = query.where(sql<boolean>`pipelines.id in (${newest})`)
  } else if (scope) query = query.where('pipelines.status', 'in', scopeStates[scope])
  if (status) query = query.where('pipelines.status', '=', status)
  if (filter.created_after) query = query.where(sql<boolean>`${created} >= ${filter.created_after}`)
  if (filter.created_before) query = query.where(sql<boolean>`${created} <= ${filter.created_before}`)
  if (filter.updated_after) query = query.where(sql<boolean>`${updated} >= ${filter.updated_after}`)
  if (filter.updated_before) query = query.where(sql<boolean>`${updated} <= ${filter.updated_before}`)
  return query
}

type Order = Required<Pick<PipelineFilter, 'order_by' | 'sort'>>

/** The column that orders by id. Few pipelines of certain times are sorted, because all may be between them and the first by id. */
function idColumn(db: Reader, filter: CommonFilter, use: TestUse): RawBuilder<unknown> {
  const { created_after, created_before, updated_after, updated_before } = filter
  const isTimed = [created_after, created_before, updated_after, updated_before].some((time) => time !== undefined)
  return isTimed && use === 'counts' ? sortedBy(db, 'pipelines.id') : sql.ref('pipelines.id')
}

function ordered(db: Reader, query: Query, filter: CommonFilter & Order, use: TestUse) {
  const { order_by: column, sort } = filter
  const rows = query.selectAll('pipelines')
  if (column === 'id' || column === undefined) return rows.orderBy(idColumn(db, filter, use), sort)
  const byColumn =
    column === 'user_id'
      ? rows.orderBy('pipelines.user_id', (order) => order[sort ?? 'desc']().nullsLast())
      : rows.orderBy(`pipelines.${column}`, sort)
  return byColumn.orderBy('pipelines.id', sort)
}

/** The pipelines behind the last one of the previous page; null for the first page. @throws ApiError 400 */
function isBehind(page: PageRequest): Condition | null {
  if (page.kind !== 'keyset' || !page.after) return null
  const [id] = page.after
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badRequest('invalid cursor')
  return page.sort === 'asc' ? sql<boolean>`pipelines.id > ${id}` : sql<boolean>`pipelines.id < ${id}`
}

/** A page of the pipelines of a project (contract 04, x.pipelines_list). */
export async function pageOfPipelines(
  db: Reader,
  projectId: number,
  filter: PipelineFilter,
  page: PageRequest,
): Promise<Page<PipelineRow>> {
  const { order_by: column = 'id', sort = 'desc' } = filter
  const behind = isBehind(page)
  const selected = (use: TestUse) => {
    let query = filtered(db, { projectId }, filter, use)
    if (behind) query = query.where(behind)
    for (const exact of ['ref', 'sha', 'name'] as const) {
      const value = filter[exact]
      if (value !== undefined) query = query.where(`pipelines.${exact}`, '=', value)
    }
    const { source, username, yaml_errors: isInvalid } = filter
    if (source) query = query.where('pipelines.source', '=', source === 'scheduled' ? 'schedule' : source)
    if (isInvalid !== undefined) query = query.where('pipelines.yaml_errors', isInvalid ? 'is not' : 'is', null)
    if (username !== undefined) {
      const users = db.selectFrom('users').select('users.id')
      const named = users.where((eb) => eb(eb.fn('lower', ['users.username']), '=', username.toLowerCase()))
      query = query.where('pipelines.user_id', 'in', named)
    }
    return ordered(db, query, { ...filter, order_by: column, sort }, use)
  }
  const reading = selected(column === 'updated_at' ? 'counts' : 'tests')
  const found = await pageOfRows(db, reading, page, selected('counts'), 'pipelines.id')
  const last = found.items.at(-1)
  if (page.kind !== 'keyset') return found
  const next = found.hasNext && last ? { [sort === 'asc' ? 'id_after' : 'id_before']: String(last.id) } : undefined
  return { items: found.items, next }
}

/** A page of the pipelines of a schedule, by id (contract 2.13). */
export async function pageOfSchedule(
  db: Reader,
  schedule: Required<Pipelines>,
  filter: CommonFilter & { sort?: 'asc' | 'desc' | undefined },
  page: PageRequest,
): Promise<Page<PipelineRow>> {
  const query = filtered(db, schedule, filter, 'tests').selectAll('pipelines')
  return pageOfRows(db, query.orderBy('pipelines.id', filter.sort ?? 'asc'), page)
}

/** The newest pipeline of a commit of a branch or tag. */
export async function newestOf(
  db: Reader,
  { projectId, ref, tag, sha }: { projectId: number; ref: string; tag: boolean; sha: string },
): Promise<PipelineRow | null> {
  const query = db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('sha', '=', sha)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The head of a merge request, with the ref of its pipelines. */
type Head = { projectId: number; sha: string; ref: string }

/**
 * The newest pipeline of each of these heads: that of the merge request, or else of branches (contract 24, Merge request pipelines). In
 * one query.
 * @returns a function from the head
 */
export async function newestPipelines(
  db: Reader,
  heads: readonly Head[],
): Promise<(head: Head) => PipelineRow | undefined> {
  if (heads.length === 0) return () => undefined
  const projects = heads.map(({ projectId }) => projectId)
  const shas = heads.map(({ sha }) => sha)
  const refs = heads.map(({ ref }) => ref)
  const wanted =
    db.engine === 'sqlite'
      ? sql`(select value ->> 0 as project_id, value ->> 1 as sha, value ->> 2 as ref
          from json_each(${heads.map(({ projectId, sha, ref }) => [projectId, sha, ref])})) head`
      : sql`unnest(${projects}::bigint[], ${shas}::text[], ${refs}::text[]) head (project_id, sha, ref)`
  // PostgreSQL keeps a plan for any values, and may expect one pipeline in any project: it would read all of a project by another index.
  // Only that of the commits has all that is compared; what else is asked is looked up.
  const newestThat = (meets: RawBuilder<unknown>) => sql`(select max(found.id + 0) from pipelines found
    where found.project_id = head.project_id and found.sha = head.sha
      and (select ${meets} from pipelines one where one.id = found.id) is true)`
  const ofRequest = newestThat(sql`one.source = ${requestSource} and one.ref = head.ref`)
  const ofBranch = newestThat(sql`one.source <> ${requestSource} and one.tag = false`)
  const newest = sql<number>`(select coalesce(${ofRequest}, ${ofBranch}) as id from ${wanted})`
  const rows = await db.selectFrom('pipelines').selectAll().where('id', 'in', newest).execute()
  const key = ({ projectId, sha }: Omit<Head, 'ref'>, ref = '') => `${projectId} ${sha} ${ref}`
  const byHead = new Map(
    rows.map((row) => [
      key({ projectId: row.project_id, sha: row.sha }, row.source === requestSource ? row.ref : ''),
      row,
    ]),
  )
  return (head) => byHead.get(key(head, head.ref)) ?? byHead.get(key(head))
}

type Branch = { projectId: number; ref: string }

/** The id of the newest successful pipeline of each of these branches. @returns a function from the branch */
export async function newestSuccessfulPipelines(
  db: Reader,
  branches: readonly Branch[],
): Promise<(branch: Branch) => number | undefined> {
  if (branches.length === 0) return () => undefined
  const rows = await db
    .selectFrom('pipelines')
    .select(({ fn }) => ['project_id', 'ref', fn.max('id').as('id')])
    .where(within(db, 'project_id', [...new Set(branches.map(({ projectId }) => projectId))]))
    .where(within(db, 'ref', [...new Set(branches.map(({ ref }) => ref))]))
    .where('status', '=', 'success')
    .where('tag', '=', false)
    .groupBy(['project_id', 'ref'])
    .execute()
  const byBranch = new Map(rows.map(({ project_id, ref, id }) => [`${project_id} ${ref}`, Number(id)]))
  return ({ projectId, ref }) => byBranch.get(`${projectId} ${ref}`)
}

/** The states of the latest jobs of these pipelines by stages, each state of a stage once. */
export async function stageStatesOf(db: Reader, pipelineIds: readonly number[]) {
  if (pipelineIds.length === 0) return []
  return db
    .selectFrom('ci_jobs')
    .select(['pipeline_id', 'stage', 'status', 'allow_failure', ({ fn }) => fn.min('stage_index').as('position')])
    .where(within(db, 'pipeline_id', pipelineIds))
    .where('retried', '=', false)
    .groupBy(['pipeline_id', 'external', 'stage', 'status', 'allow_failure'])
    .orderBy('external')
    .orderBy('position')
    .execute()
}

/** The coverages of the latest jobs of these pipelines. */
export async function jobCoverages(db: Reader, pipelineIds: readonly number[]) {
  if (pipelineIds.length === 0) return []
  return db
    .selectFrom('ci_jobs')
    .select(['pipeline_id', 'coverage'])
    .where(within(db, 'pipeline_id', pipelineIds))
    .where('retried', '=', false)
    .where('coverage', 'is not', null)
    .execute()
}

/**
 * A page of the pipelines of a merge request, newest first: those that were made for it, and those of these commits without those of
 * tags and of other merge requests.
 * @property refs those of the merge request
 */
export async function pageOfCommits(
  db: Reader,
  { projectId, shas, refs }: { projectId: number; shas: readonly string[]; refs: readonly string[] },
  page: PageRequest,
): Promise<Page<PipelineRow>> {
  const inProject = db.selectFrom('pipelines').select('id').where('project_id', '=', projectId)
  const ofRequest = inProject.where('ref', 'in', refs).where('source', '=', requestSource)
  const ofCommits = inProject
    .where(within(db, 'sha', shas))
    .where('tag', '=', false)
    .where(sql<boolean>`${unindexed(db, 'source')} <> ${requestSource}`)
  const query = db.selectFrom('pipelines').selectAll().where('id', 'in', ofRequest.unionAll(ofCommits))
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

/** What is read of the jobs of a pipeline to present it. */
export type JobTimes = Pick<CiJobRow, 'started_at' | 'finished_at'>

export async function jobFactsOf(db: Reader, pipelineId: number) {
  return db
    .selectFrom('ci_jobs')
    .select(['started_at', 'finished_at', 'coverage', 'retried', 'status', 'allow_failure'])
    .where('pipeline_id', '=', pipelineId)
    .execute()
}

export async function variablesOf(db: Reader, pipelineId: number): Promise<PipelineVariableRow[]> {
  return db.selectFrom('pipeline_variables').selectAll().where('pipeline_id', '=', pipelineId).orderBy('id').execute()
}

export async function renamePipeline(tx: Tx, id: number, name: string, moment: string): Promise<void> {
  await tx.updateTable('pipelines').set({ name, updated_at: moment }).where('id', '=', id).execute()
}

/** Deletes a pipeline with all that belongs to it. @returns the ids of its jobs */
export async function deletePipeline(tx: Tx, id: number): Promise<number[]> {
  const jobs = await tx.selectFrom('ci_jobs').select('id').where('pipeline_id', '=', id).execute()
  await tx.deleteFrom('pipelines').where('id', '=', id).execute()
  return jobs.map((job) => job.id)
}

/** The latest jobs of a pipeline that failed or were canceled, without the statuses of external systems. */
export async function jobsToRetry(db: Reader, pipelineId: number): Promise<CiJobRow[]> {
  return db
    .selectFrom('ci_jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where(sql<boolean>`retried = false and external = false`)
    .where('status', 'in', ['failed', 'canceled'])
    .orderBy('id')
    .execute()
}
