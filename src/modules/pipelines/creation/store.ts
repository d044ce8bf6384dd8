import { setImmediate } from 'node:timers/promises'
import { type Insertable, sql } from 'kysely'
import { jsonText, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { type PlannedJob, requestSource } from '../../ci-config/index.ts'
import { ensureResourceGroups } from '../resource-groups/store.ts'
import { type CiJobsTable, type PipelineRow, type PipelineVariablesTable, pipelines } from '../tables.ts'

export const { insert: insertPipeline } = rows(pipelines)

/** Rows of one statement: PostgreSQL accepts 65,535 parameters, SQLite 32,766. */
const rowsOfStatement = 500

async function inPortions<Row>(rows: readonly Row[], insert: (portion: readonly Row[]) => Promise<unknown>) {
  for (let index = 0; index < rows.length; index += rowsOfStatement) {
    // Other requests are served between two portions.
    if (index > 0) await setImmediate()
    await insert(rows.slice(index, index + rowsOfStatement))
  }
}

export async function insertVariables(tx: Tx, rows: readonly Insertable<PipelineVariablesTable>[]): Promise<void> {
  await inPortions(rows, (portion) => tx.insertInto('pipeline_variables').values(portion).execute())
}

/** @property isFrozen whether the project is frozen now */
type Created = { pipeline: PipelineRow; moment: string; isFrozen: boolean }

function jobRow({ pipeline, moment, isFrozen }: Created, job: PlannedJob): Insertable<CiJobsTable> {
  const { project_id, id: pipeline_id, sha, ref, user_id } = pipeline
  return {
    ...{ project_id, pipeline_id, sha, ref, user_id, protected: pipeline.protected, external: false },
    ...{ name: job.name, stage: job.stage, stage_index: job.stageIndex, status: 'created', run_when: job.when },
    ...{ allow_failure: job.allowFailure, interruptible: job.interruptible, uses_needs: job.needs !== null },
    ...{ start_in_seconds: job.startInSeconds, timeout_seconds: job.timeoutSeconds, resource_group: job.resourceGroup },
    ...{ tag_list: jsonText(job.tags), environment: job.definition.environment?.name ?? null, frozen: isFrozen },
    ...{ target_url: null, description: null, coverage: null, started_at: null, finished_at: null },
    ...{ created_at: moment, updated_at: moment },
  }
}

/** Inserts the jobs of a new pipeline with their definitions and needs, in statements for many rows. @returns the ids of those with an environment */
export async function insertJobs(tx: Tx, created: Created, jobs: readonly PlannedJob[]): Promise<number[]> {
  const keys = new Set(jobs.flatMap(({ resourceGroup }) => resourceGroup ?? []))
  const { pipeline, moment } = created
  await inPortions([...keys], (portion) => ensureResourceGroups(tx, pipeline.project_id, portion, moment))
  const ids = new Map<string, number>()
  await inPortions(jobs, async (portion) => {
    const rows = portion.map((job) => jobRow(created, job))
    const inserted = await tx.insertInto('ci_jobs').values(rows).returning(['id', 'name']).execute()
    for (const { id, name } of inserted) ids.set(name, id)
  })
  const idOf = ({ name }: PlannedJob) => ids.get(name) ?? 0
  const definitions = jobs.map((job) => ({ job_id: idOf(job), definition: jsonText(job.definition) }))
  await inPortions(definitions, (portion) => tx.insertInto('ci_job_definitions').values(portion).execute())
  const needs = jobs.flatMap((job) =>
    (job.needs ?? []).map(({ job: name, artifacts, optional }) => ({ job_id: idOf(job), name, artifacts, optional })),
  )
  await inPortions(needs, (portion) =>
    tx
      .insertInto('ci_job_needs')
      .values(portion)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
  return jobs.filter(({ definition }) => definition.environment !== null).map(idOf)
}

export type NewJobRow = Insertable<CiJobsTable>

/** Inserts jobs that have ended at another server, without definitions: nothing can run them again. */
export async function insertEndedJobs(tx: Tx, jobs: readonly NewJobRow[]): Promise<void> {
  await inPortions(jobs, (portion) => tx.insertInto('ci_jobs').values(portion).execute())
}

/** Whether a push has created a pipeline for a ref already. */
export async function hasPipelineOfPush(db: Reader, pushId: number, ref: string, tag: boolean): Promise<boolean> {
  const query = db.selectFrom('pipelines').select('id').where('push_id', '=', pushId).where('ref', '=', ref)
  return (await query.where('tag', '=', tag).executeTakeFirst()) !== undefined
}

/** Whether the head of a merge request has got a pipeline since a time. @property since ISO text */
export async function hasRequestPipeline(
  db: Reader,
  { projectId, ref, commit, since }: { projectId: number; ref: string; commit: { oid: string }; since: string },
): Promise<boolean> {
  const query = db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('source', '=', requestSource)
    .where('sha', '=', commit.oid)
    .where('created_at', '>=', since)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/**
 * Older unfinished pipelines of the same branch or merge request, and of the same source, of which every job that has begun may be interrupted.
 * @param pipeline the new one
 */
export async function interruptiblePipelines(
  db: Reader,
  { id, project_id, ref, source }: Pick<PipelineRow, 'id' | 'project_id' | 'ref' | 'source'>,
): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('finished_at', 'is', null)
    .where('source', '=', source)
    .where('tag', '=', false)
    .where('id', '<', id)
    .where(sql<boolean>`not exists (select 1 from ci_jobs where ci_jobs.pipeline_id = pipelines.id
      and ci_jobs.started_at is not null and ci_jobs.interruptible = false)`)
    .orderBy('id')
    .execute()
  return rows.map((row) => row.id)
}
