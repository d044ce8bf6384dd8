import type { Platform } from '../../../platform/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'
import {
  type ConfigVariable,
  type PipelineContext,
  type PipelinePlan,
  type PlannedJob,
  planAt,
  planSentences,
  predefinedVariables,
  readConfigText,
} from '../../ci-config/index.ts'
import { defaultBranchName } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { bytesOfVariables, mostBytesOfJob, type StoredVariables, storedVariables } from '../../variables/index.ts'
import type { NewPipeline } from './new-pipeline.ts'
import type { PipelineTarget } from './target.ts'

/** The jobs of a new pipeline, or why it has none. */
export type Planned = {
  target: PipelineTarget
  isProtected: boolean
  isFrozen: boolean
  plan:
    | Extract<PipelinePlan, { kind: 'jobs' | 'invalid' }>
    | { kind: 'missing' }
    | { kind: 'refused'; sentence: string }
    | { kind: 'too_large'; sentence: string }
}

type Planning = {
  given: NewPipeline
  opened: OpenedRepository
  target: PipelineTarget
  isProtected: boolean
  /** Whether the project is frozen now. */
  isFrozen: boolean
  /** The configuration is not read further, since the pipeline is skipped. */
  willSkip: boolean
}

function ofSchedule({ schedule }: NewPipeline): ConfigVariable[] {
  if (!schedule) return []
  return [
    { key: 'CI_PIPELINE_SCHEDULE_ID', value: String(schedule.id), raw: true },
    { key: 'CI_PIPELINE_SCHEDULE_DESCRIPTION', value: schedule.description, raw: true },
  ]
}

const tooLargeSentence = (job: string) =>
  `The variables of the job ${job} have exceeded the limit of ${mostBytesOfJob} bytes.`

/** What rules of the configuration compare with. */
async function contextOf(
  platform: Platform,
  { given, target, isProtected, isFrozen }: Planning,
  stored: StoredVariables,
): Promise<PipelineContext> {
  const { project, actor, source, push, request, variables = [] } = given
  const { ref, tag, commit } = target
  const [defaultBranch, user, ofRequests] = await Promise.all([
    defaultBranchName(platform, project),
    userById(platform.database.read, actor.userId),
    platform.ports['pipelines.request_variables'](platform, project, { ref, tag, source }),
  ])
  const { instance, groups, project: ofProject } = stored.forJob(null)
  const beforeSha = tag ? null : (push?.beforeSha ?? null)
  const name = request?.branches.source ?? ref
  const facts = { project, commit, beforeSha, ref: name, tag, isProtected, source, defaultBranch, user }
  const frozen = isFrozen ? [{ key: 'CI_DEPLOY_FREEZE', value: 'true', raw: true }] : []
  const own = variables.map(({ key, value, raw = false }) => ({ key, value, raw }))
  return {
    ...{ ref, tag, source, sha: commit.oid, defaultBranch },
    beforeSha: request ? request.baseSha : beforeSha,
    predefined: [...predefinedVariables(platform, facts), ...ofRequests, ...ofSchedule(given), ...frozen],
    variables: [...instance, ...groups, ...ofProject, ...own],
  }
}

/** The first job whose variables are together too large; null when there is none. References are not expanded here. */
function tooLargeJob(
  jobs: readonly PlannedJob[],
  stored: StoredVariables,
  others: readonly Pick<ConfigVariable, 'key' | 'value'>[],
) {
  const otherBytes = bytesOfVariables(others)
  const storedBytes = new Map<string | null, number>()
  for (const { name, definition } of jobs) {
    const environment = definition.environment?.name ?? null
    const known = storedBytes.get(environment) ?? bytesOfVariables(Object.values(stored.forJob(environment)).flat())
    storedBytes.set(environment, known)
    if (otherBytes + known + bytesOfVariables(definition.variables) > mostBytesOfJob) return name
  }
  return null
}

/** Reads the configuration of the commit and chooses the jobs. */
export async function planOf(platform: Platform, planning: Planning): Promise<Planned> {
  const { given, opened, target, isProtected, isFrozen, willSkip } = planning
  const subject = { project: given.project, actor: given.actor, opened, commit: target.commit }
  const common = { target, isProtected, isFrozen }
  const text = await readConfigText(platform, subject)
  if (text === null) return { ...common, plan: { kind: 'missing' } }
  if (willSkip) return { ...common, plan: { kind: 'jobs', name: null, jobs: [], variables: [] } }
  const stored = await storedVariables(platform, given.project, isProtected)
  const context = await contextOf(platform, planning, stored)
  const plan = await planAt(platform, subject, context, text)
  const others = [...context.predefined, ...(given.variables ?? [])]
  const large = plan.kind === 'jobs' ? tooLargeJob(plan.jobs, stored, others) : null
  if (large !== null) return { ...common, plan: { kind: 'too_large', sentence: tooLargeSentence(large) } }
  if (plan.kind === 'jobs' || plan.kind === 'invalid') return { ...common, plan }
  return { ...common, plan: { kind: 'refused', sentence: planSentences[plan.kind] } }
}
