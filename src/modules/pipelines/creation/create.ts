import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { PlannedJob } from '../../ci-config/index.ts'
import { isFrozen } from '../../freeze-periods/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { hasBuilds } from '../access.ts'
import { beginPipeline } from '../processing/begin.ts'
import { followNew } from '../processing/deploying.ts'
import { pipelineById } from '../processing/store/states.ts'
import type { PipelineRow } from '../tables.ts'
import type { NewPipeline, Refusal } from './new-pipeline.ts'
import { sealedVariable, variableProblems } from './pipeline-variables.ts'
import { type Planned, planOf } from './plan.ts'
import { areProtected, isProtectedRef, mayRunOn, maySetVariables } from './rights.ts'
import * as store from './store.ts'
import { findTarget, type PipelineTarget, requestTarget } from './target.ts'

const refusal = (reason: Refusal['reason'], ...refused: string[]): Refusal => ({ refused, reason })

const noRight = (ref: string) =>
  `You do not have sufficient permission to run a pipeline on '${ref}'. Please select a different branch or contact your administrator for assistance.`

const marker = /\[(ci[ _-]skip|skip[ _-]ci)\]/i

function isSkipped({ skip }: NewPipeline, { commit }: PipelineTarget): boolean {
  return skip === 'always' || (skip === 'if_marked' && marker.test(commit.message))
}

async function refusalOfRights(platform: Platform, given: NewPipeline, target: PipelineTarget) {
  const { project, actor, variables = [] } = given
  if (!(hasBuilds(project) && (await mayRunOn(platform, project, actor, { ...target, source: given.source })))) {
    return refusal('forbidden', noRight(target.ref))
  }
  if (variables.length === 0) return null
  if (!given.hasCheckedVariables && !maySetVariables(actor, project)) {
    return refusal('forbidden', 'Insufficient permissions to set pipeline variables')
  }
  const problems = variableProblems(variables)
  return problems.length > 0 ? refusal('variables', ...problems) : null
}

async function refusalOfSize({ database }: Platform, jobs: readonly PlannedJob[]): Promise<Refusal | null> {
  const { ci_pipeline_size: limit } = await planLimits(database.read)
  if (limit === 0 || jobs.length <= limit) return null
  return refusal(
    'config',
    `The number of jobs has exceeded the limit of ${limit}. Try splitting the configuration with parent-child-pipelines`,
  )
}

/** What is stored of a new pipeline. */
type Draft = {
  given: NewPipeline
  target: PipelineTarget
  isProtected: boolean
  isFrozen: boolean
  /** A status that is final already, for pipelines without jobs. */
  status: 'created' | 'skipped' | 'failed'
  yamlErrors: readonly string[]
  name: string | null
  jobs: readonly PlannedJob[]
}

/** Stores a pipeline with its jobs. @returns null when the head of the merge request has it already */
async function insert(platform: Platform, tx: Tx, draft: Draft): Promise<PipelineRow | null> {
  const { given, target, status, yamlErrors } = draft
  const { project, actor, push, schedule, request } = given
  const moment = now(platform.clock)
  if (request?.since !== undefined) {
    await acquireLock(tx, `pipelines:${project.id}:${target.ref}`)
    if (await store.hasRequestPipeline(tx, { ...target, projectId: project.id, since: request.since })) return null
  }
  const pipeline = await store.insertPipeline(tx, {
    ...{ project_id: project.id, iid: await nextInternalId(tx, { projectId: project.id }, 'pipelines') },
    ...{ sha: target.commit.oid, before_sha: push?.beforeSha ?? null, ref: target.ref, tag: target.tag },
    ...{ protected: draft.isProtected, status, source: given.source, name: draft.name },
    yaml_errors: yamlErrors.length > 0 ? yamlErrors.join('\n') : null,
    ...{
      schedule_id: schedule?.id ?? null,
      schedule_run: schedule?.run ?? null,
      push_id: push?.id ?? null,
      user_id: actor.userId,
    },
    ...{ started_at: null, finished_at: status === 'created' ? null : moment },
    committed_at: target.commit.committer.date,
    ...{ created_at: moment, updated_at: moment },
  })
  const variables = given.variables ?? []
  if (variables.length > 0) {
    const sealer = await platform.secrets.sealer()
    await store.insertVariables(
      tx,
      variables.map((variable) => sealedVariable(sealer, pipeline.id, variable)),
    )
  }
  const deploying = await store.insertJobs(tx, { pipeline, moment, isFrozen: draft.isFrozen }, draft.jobs)
  await followNew(platform, tx, pipeline, deploying)
  await react(platform, tx, 'pipeline.changed', { pipelineId: pipeline.id, projectId: project.id })
  return pipeline
}

/** Turns a plan into what is stored, or into the reason why nothing is. */
async function draftOf(platform: Platform, given: NewPipeline, planned: Planned): Promise<Draft | Refusal> {
  const { target, isProtected, isFrozen, plan } = planned
  const draft = { given, target, isProtected, isFrozen, yamlErrors: [], name: null, jobs: [] }
  if (plan.kind === 'missing') return refusal('missing', 'Missing CI config file')
  if (isSkipped(given, target)) return { ...draft, status: 'skipped' }
  if (plan.kind === 'refused') return refusal('no_jobs', plan.sentence)
  if (plan.kind === 'invalid' || plan.kind === 'too_large') {
    const errors = plan.kind === 'invalid' ? plan.errors : [plan.sentence]
    if (!given.recordsInvalid) return refusal('config', ...errors)
    return { ...draft, status: 'failed', yamlErrors: errors }
  }
  const tooMany = await refusalOfSize(platform, plan.jobs)
  if (tooMany && !given.recordsInvalid) return tooMany
  if (tooMany) return { ...draft, status: 'failed', yamlErrors: tooMany.refused }
  return { ...draft, status: 'created', name: plan.name, jobs: plan.jobs }
}

/**
 * Creates a pipeline for the commit of a branch or tag (contract 04, x.pipelines_create), and queues its first jobs. A
 * refused attempt leaves no row and uses no iid.
 * @returns the pipeline, or why there is none
 * @throws ApiError 404 `Repository` when the project has none; UniqueViolation of `pipelines_push_unique` or
 * `pipelines_run_unique` when the pipeline of the same push, or of the same run of a schedule, exists
 */
export async function createPipeline(
  platform: Platform,
  given: NewPipeline,
): Promise<{ pipeline: PipelineRow } | Refusal> {
  const { project } = given
  const { database } = platform
  const opened = await openRepository(platform, project)
  const target = await (given.request
    ? requestTarget(opened, given.ref, given.request)
    : findTarget(opened, given.ref, given.push?.sha))
  if (typeof target === 'string') return refusal('ref', target)
  const refused = await refusalOfRights(platform, given, target)
  if (refused) return refused
  const isProtected = await (given.request
    ? areProtected(platform, project, given.request.branches)
    : isProtectedRef(platform, project, target))
  const planning = {
    ...{ given, opened, target, isProtected, willSkip: isSkipped(given, target) },
    isFrozen: await isFrozen(platform, database.read, project.id),
  }
  const planned = await planOf(platform, planning)
  const draft = await draftOf(platform, given, planned)
  if ('refused' in draft) return draft
  const pipeline = await database.write((tx) => insert(platform, tx, draft))
  if (!pipeline) return refusal('exists', 'The pipeline exists already.')
  if (pipeline.status !== 'created') return { pipeline }
  await beginPipeline(platform, pipeline)
  return { pipeline: (await pipelineById(database.read, pipeline.id)) ?? pipeline }
}
