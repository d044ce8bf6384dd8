import { type Actor, isAdministrator, recordNotFound, type Static } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requirePipeline, requireReader } from '../core/pipelines.ts'
import { requireJob } from '../jobs/jobs.ts'
import { holdsOf } from '../processing/deploying.ts'
import { definitionOf, needsOf } from '../processing/store/states.ts'
import { type DefinedJob, PlannedJob, type PresentedPlan } from './present.ts'
import { type PlannedRow, plannedJobs } from './store.ts'

/** A plan shows no more jobs (contract 04, x.pipelines_plan). */
const mostJobs = 1000

/** What keeps a caller from starting jobs, by their ids (contract 24, Protection). */
async function heldFor(platform: Platform, actor: Actor, jobs: readonly PlannedRow[]) {
  const [user_id, administrator] = [actor.kind === 'user' ? actor.userId : null, isAdministrator(actor)]
  const starting = jobs.map(({ id, environment }) => ({ id, environment, user_id, administrator }))
  const holds = await holdsOf(platform, platform.database.read, starting)
  return (id: number) => {
    const hold = holds.get(id)
    if (hold === 'protected_environment_failure') return 'protected'
    return hold === 'approval' ? 'approval' : null
  }
}

/** The latest jobs of a pipeline with what they wait for (contract 04, x.pipelines_plan). @throws ApiError 403, 404 */
export async function planOfPipeline(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
): Promise<PresentedPlan> {
  requireReader(actor, project)
  const { database, clock, externalUrl } = platform
  await requirePipeline(platform, project, id)
  const jobs = await plannedJobs(database.read, id, mostJobs)
  const withNeeds = jobs.filter(({ uses_needs }) => uses_needs).map((job) => job.id)
  const needs = await needsOf(database.read, withNeeds)
  const held = await heldFor(platform, actor, jobs)
  const view = { address: `${externalUrl}/${project.full_path}`, moment: now(clock) }
  return jobs.map((job) =>
    PlannedJob.present({ ...job, needs: job.uses_needs ? (needs.get(job.id) ?? []) : null, held: held(job.id) }, view),
  )
}

/** What a job was planned to do (contract 04, x.jobs_definition). @throws ApiError 403, 404 */
export async function definitionOfJob(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
): Promise<Static<typeof DefinedJob>> {
  requireReader(actor, project)
  const { database } = platform
  const job = await requireJob(platform, project, id)
  const [definition, needs] = await Promise.all([definitionOf(database.read, id), needsOf(database.read, [id])])
  if (!definition) throw recordNotFound()
  const { environment, dependencies } = definition
  return {
    when: job.run_when,
    needs: job.uses_needs ? (needs.get(id) ?? []) : null,
    dependencies: dependencies && [...dependencies],
    environment: environment && { name: environment.name, url: environment.url, action: environment.action },
    resource_group: job.resource_group,
    interruptible: job.interruptible,
    timeout: job.timeout_seconds,
  }
}
