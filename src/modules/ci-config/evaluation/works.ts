import { toYaml } from '../../../infra/yaml/index.ts'
import { compileConfig } from '../compile.ts'
import type { Budget } from '../document/budget.ts'
import type { ConfigLimits } from '../document/limits.ts'
import type { ConfigSource } from '../document/source.ts'
import { planPipeline, planSentences } from '../plan.ts'
import type { CommitFacts } from '../rules/conditions.ts'
import type { ConfigInclude, PipelineContext, PipelinePlan } from '../types.ts'
import { configuredJob, type LintedJob, plannedJob } from './linted-jobs.ts'

/** What configurations read of the repository. */
export type CommitAccess = { source: ConfigSource; facts: CommitFacts }

/** A configuration, and the pipeline for which it is evaluated. */
type Task = { text: string; context: PipelineContext; limits: ConfigLimits }
export type LintTask = Task & { isDryRun: boolean; wantsJobs: boolean }

/** What was found in a configuration. */
export type Linted = {
  errors: readonly string[]
  warnings: readonly string[]
  includes: readonly ConfigInclude[]
  /** With all files merged; null when they could not be read. */
  mergedYaml: string | null
  /** Empty unless they were asked for. */
  jobs: readonly LintedJob[]
}

async function compile({ text, context, limits }: Task, { source, facts }: CommitAccess, budget?: Budget) {
  const values = new Map([...context.predefined, ...context.variables].map(({ key, value }) => [key, value]))
  return compileConfig(text, source, { variables: (name) => values.get(name), facts, limits, budget })
}

/** Chooses the jobs of a pipeline (contract 04, x.pipelines_create). */
export async function plan(task: Task, access: CommitAccess, budget?: Budget): Promise<PipelinePlan> {
  const { configuration, errors } = await compile(task, access, budget)
  if (!configuration) return { kind: 'invalid', errors }
  return planPipeline(configuration, task.context, access.facts)
}

/** Looks for problems (contract 04, Lint result); a dry run also chooses the jobs. */
export async function lint(task: LintTask, access: CommitAccess, budget?: Budget): Promise<Linted> {
  const { configuration, errors, includes, merged } = await compile(task, access, budget)
  const found = {
    warnings: configuration?.warnings ?? [],
    includes,
    mergedYaml: merged && toYaml(merged),
  }
  if (!configuration) return { ...found, errors, jobs: [] }
  if (!task.isDryRun) return { ...found, errors, jobs: task.wantsJobs ? configuration.jobs.map(configuredJob) : [] }
  const planned = await planPipeline(configuration, task.context, access.facts)
  if (planned.kind === 'jobs') {
    return { ...found, errors: [], jobs: task.wantsJobs ? planned.jobs.map(plannedJob) : [] }
  }
  return { ...found, errors: planned.kind === 'invalid' ? planned.errors : [planSentences[planned.kind]], jobs: [] }
}

/** What is done with configurations, by name. */
export const works = { plan, lint }
export type Works = typeof works
