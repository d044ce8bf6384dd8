import type { Platform } from '../../../platform/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'
import {
  type ConfigVariable,
  type PipelineContext,
  type PipelinePlan,
  planAt,
  planSentences,
  predefinedVariables,
  readConfigText,
} from '../../ci-config/index.ts'
import { defaultBranchName } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { storedVariables } from '../../variables/index.ts'
import type { NewPipeline } from './new-pipeline.ts'
import type { PipelineTarget } from './target.ts'

/** The jobs of a new pipeline, or why it has none. */
export type Planned = {
  target: PipelineTarget
  isProtected: boolean
  plan:
    | Extract<PipelinePlan, { kind: 'jobs' | 'invalid' }>
    | { kind: 'missing' }
    | { kind: 'refused'; sentence: string }
}

type Planning = {
  given: NewPipeline
  opened: OpenedRepository
  target: PipelineTarget
  isProtected: boolean
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

/** What rules of the configuration compare with. */
async function contextOf(platform: Platform, { given, target, isProtected }: Planning): Promise<PipelineContext> {
  const { project, actor, source, push, variables = [] } = given
  const { ref, tag, commit } = target
  const [defaultBranch, stored, user] = await Promise.all([
    defaultBranchName(platform, project),
    storedVariables(platform, project, isProtected),
    userById(platform.database.read, actor.userId),
  ])
  const { instance, groups, project: ofProject } = stored.forJob(null)
  const beforeSha = tag ? null : (push?.beforeSha ?? null)
  const facts = { project, commit, beforeSha, ref, tag, isProtected, source, defaultBranch, user }
  const own = variables.map(({ key, value, raw = false }) => ({ key, value, raw }))
  return {
    ...{ ref, tag, source, sha: commit.oid, beforeSha, defaultBranch },
    predefined: [...predefinedVariables(platform, facts), ...ofSchedule(given)],
    variables: [...instance, ...groups, ...ofProject, ...own],
  }
}

/** Reads the configuration of the commit and chooses the jobs. */
export async function planOf(platform: Platform, planning: Planning): Promise<Planned> {
  const { given, opened, target, isProtected, willSkip } = planning
  const subject = { project: given.project, actor: given.actor, opened, commit: target.commit }
  const common = { target, isProtected }
  const text = await readConfigText(platform, subject)
  if (text === null) return { ...common, plan: { kind: 'missing' } }
  if (willSkip) return { ...common, plan: { kind: 'jobs', name: null, jobs: [], variables: [] } }
  const plan = await planAt(platform, subject, await contextOf(platform, planning), text)
  if (plan.kind === 'jobs' || plan.kind === 'invalid') return { ...common, plan }
  return { ...common, plan: { kind: 'refused', sentence: planSentences[plan.kind] } }
}
