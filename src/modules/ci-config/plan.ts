import { expandText, expandVariables } from '../../infra/expansion/index.ts'
import { ConfigError, tooBig } from './errors.ts'
import { type Configuration, mostJobs, tooManyJobs } from './jobs/configuration.ts'
import type { JobConfig } from './jobs/job.ts'
import type { WrittenNeed } from './jobs/needs.ts'
import { namesOf } from './jobs/parallel.ts'
import { type CommitFacts, firstRule, isExcluded, isIncluded } from './rules/conditions.ts'
import type { Lookup } from './rules/expression.ts'
import type { Rule } from './rules/rule-values.ts'
import {
  type ConfigNeed,
  type ConfigVariable,
  type JobWhen,
  type PipelineContext,
  type PipelinePlan,
  type PlannedJob,
  requestSource,
} from './types.ts'

/** Of one key the last wins. */
function merged(...lists: (readonly ConfigVariable[])[]): ConfigVariable[] {
  return [...new Map(lists.flat().map((variable) => [variable.key, variable])).values()]
}

/**
 * The values with which rules compare: those of the configuration stand between the predefined and the stored ones. Most jobs
 * refer to none, so they are expanded when the first is asked for.
 */
function lookupOf(context: PipelineContext, own: readonly ConfigVariable[]): Lookup {
  let values: ReadonlyMap<string, string> | undefined
  return (name) => {
    values ??= expandVariables(merged(context.predefined, own, context.variables))
    return values.get(name)
  }
}

/** A job that gets into the pipeline, with what its rule decided. */
type Chosen = {
  job: JobConfig
  when: JobWhen
  startInSeconds: number | null
  allowFailure: boolean
  needs: readonly ConfigNeed[] | null
  variables: readonly ConfigVariable[]
  lookup: Lookup
}

const filterOf = ({ only, except }: JobConfig) =>
  only ?? (except ? null : { refs: null, variables: null, changes: null })

/** Whether a job without `rules` is added, by `only` and `except`. */
async function isAdded(job: JobConfig, context: PipelineContext, lookup: Lookup, facts: CommitFacts): Promise<boolean> {
  const only = filterOf(job)
  // Merge requests are named by `only` or asked for by `rules`.
  if (!only && context.source === requestSource) return false
  if (only && !(await isIncluded(only, context, lookup, facts))) return false
  return !job.except || !(await isExcluded(job.except, context, lookup, facts))
}

function globalsOf(job: JobConfig, variables: readonly ConfigVariable[]): readonly ConfigVariable[] {
  const { inheritVariables: chosen } = job
  if (typeof chosen === 'boolean') return chosen ? variables : []
  return variables.filter(({ key }) => chosen.includes(key))
}

/** Decides about a job; null when it is not added. */
async function choose(
  job: JobConfig,
  globals: readonly ConfigVariable[],
  context: PipelineContext,
  facts: CommitFacts,
): Promise<Chosen | null> {
  const own = merged(globalsOf(job, globals), job.variables)
  const lookup = lookupOf(context, own)
  let rule: Rule | null = null
  if (job.rules) {
    rule = await firstRule(job.rules, lookup, facts)
    if (!rule) return null
  } else if (!(await isAdded(job, context, lookup, facts))) return null
  const when = rule?.when ?? job.when ?? 'on_success'
  if (when === 'never') return null
  const variables = merged(own, rule?.variables ?? [])
  return {
    job,
    when,
    startInSeconds: when === 'delayed' ? (rule?.startInSeconds ?? job.startInSeconds) : null,
    // A manual job blocks only where `rules` make it manual.
    allowFailure: rule?.allowFailure ?? job.allowFailure ?? (when === 'manual' && !job.rules),
    needs: rule?.needs ?? job.needs,
    variables,
    lookup: rule?.variables.length ? lookupOf(context, variables) : lookup,
  }
}

const hasSameValues = (one: readonly ConfigVariable[], other: readonly ConfigVariable[]) =>
  other.every(({ key, value }) => one.some((variable) => variable.key === key && variable.value === value))

/** The names of the jobs that a need means. */
function neededNames(need: ConfigNeed & Partial<WrittenNeed>, { parallel, name }: JobConfig): string[] {
  if (!parallel) return [name]
  const names = namesOf(name, parallel)
  const { combinations } = parallel
  const wanted = need.combinations
  if (!wanted || !combinations) return names
  return names.filter((_, index) => wanted.some((one) => hasSameValues(combinations[index] ?? [], one)))
}

const missing = (name: string, need: string) =>
  `'${name}' job needs '${need}' job, but '${need}' does not exist in the pipeline. ` +
  'This might be because of the only, except, or rules keywords. ' +
  'To need a job that sometimes does not exist in the pipeline, use needs:optional.'

/** @throws ConfigError when a need that is not optional is not in the pipeline */
function needsOf({ job, needs }: Chosen, chosen: ReadonlyMap<string, Chosen>): ConfigNeed[] | null {
  if (!needs) return null
  return needs.flatMap((need) => {
    const other = chosen.get(need.job)
    if (!other && !need.optional) throw new ConfigError(missing(job.name, need.job))
    if (!other) return []
    const { artifacts, optional } = need
    return neededNames(need, other.job).map((name) => ({ job: name, artifacts, optional }))
  })
}

const longestKey = 255

const environmentCharacters = /^[A-Za-z0-9\-_/${}. ]+$/

/** Whether a text has the characters of a name of an environment, which a key of a resource group has, too (contract 24). */
export const hasEnvironmentCharacters = (text: string): boolean =>
  environmentCharacters.test(text) && !text.startsWith('/') && !text.endsWith('/')

/** The resource group of a key; null when the key cannot be one (contract 24, Resource groups). @param key with its references replaced */
const resourceGroupOf = (key: string): string | null =>
  key.length <= longestKey && hasEnvironmentCharacters(key) ? key : null

/** The jobs that one job of the configuration becomes. */
function plannedJobs(one: Chosen, stageIndex: number, chosen: ReadonlyMap<string, Chosen>): PlannedJob[] {
  const { job, lookup } = one
  const needs = needsOf(one, chosen)
  const expand = (text: string) => expandText(text, lookup)
  const { parallel, environment } = job
  const names = parallel ? namesOf(job.name, parallel) : [job.name]
  return names.map((name, index) => ({
    name,
    ...{ stage: job.stage, stageIndex, when: one.when, startInSeconds: one.startInSeconds },
    ...{ allowFailure: one.allowFailure, interruptible: job.interruptible, timeoutSeconds: job.timeoutSeconds },
    tags: job.tags.map(expand),
    resourceGroup: job.resourceGroup === null ? null : resourceGroupOf(expand(job.resourceGroup)),
    needs,
    definition: {
      ...{ beforeScript: job.beforeScript, script: job.script, afterScript: job.afterScript },
      ...{ preGetSourcesScript: job.preGetSourcesScript, image: job.image, services: job.services },
      ...{ artifacts: job.artifacts, cache: job.cache, dependencies: job.dependencies, retry: job.retry },
      ...{ allowFailureExitCodes: job.allowFailureExitCodes, coverage: job.coverage },
      variables: merged(one.variables, parallel?.combinations?.[index] ?? []),
      environment: environment && {
        ...environment,
        name: expand(environment.name),
        autoStopIn: environment.autoStopIn ? expand(environment.autoStopIn) : null,
      },
      ...(job.pages && { pages: job.pages }),
      node: parallel && { index: index + 1, total: names.length },
    },
  }))
}

/** Why a valid configuration gives no pipeline (contract 04, x.pipelines_create). */
export const planSentences = {
  filtered_by_workflow: 'Pipeline filtered out by workflow rules.',
  no_jobs:
    'Pipeline will not run for the selected trigger. The rules configuration prevented any jobs from being added to the pipeline.',
} as const

/** Needs of all jobs of a pipeline; one need may mean the two hundred jobs of `parallel`. */
const mostNeedsOfPipeline = 50 * mostJobs

/** @throws ConfigError */
function requireFewNeeds(jobs: readonly PlannedJob[]): void {
  const count = jobs.reduce((sum, { needs }) => sum + (needs?.length ?? 0), 0)
  if (count > mostNeedsOfPipeline) throw new ConfigError(tooBig)
}

const countOf = (chosen: Iterable<Chosen>) => [...chosen].reduce((sum, { job }) => sum + (job.parallel?.count ?? 1), 0)

/** Whether the workflow lets a pipeline be created, with the variables of its rule; null when it does not. */
async function workflowVariables({ workflow, variables }: Configuration, context: PipelineContext, facts: CommitFacts) {
  if (!workflow.rules) return []
  const rule = await firstRule(workflow.rules, lookupOf(context, variables), facts)
  return rule && rule.when !== 'never' ? rule.variables : null
}

/**
 * Chooses the jobs of a pipeline (contract 04, `rules`, `only`, `needs`, `parallel`).
 * @param facts answers what rules ask about the commit
 */
export async function planPipeline(
  configuration: Configuration,
  context: PipelineContext,
  facts: CommitFacts,
): Promise<PipelinePlan> {
  const ofWorkflow = await workflowVariables(configuration, context, facts)
  if (ofWorkflow === null) return { kind: 'filtered_by_workflow' }
  const variables = merged(configuration.variables, ofWorkflow)
  const chosen = new Map<string, Chosen>()
  for (const job of configuration.jobs) {
    const one = await choose(job, variables, context, facts)
    if (one) chosen.set(job.name, one)
  }
  const stageOf = new Map(configuration.stages.map((stage, index) => [stage, index]))
  if ([...chosen.values()].every(({ job }) => job.stage === '.pre' || job.stage === '.post')) return { kind: 'no_jobs' }
  if (countOf(chosen.values()) > mostJobs) return { kind: 'invalid', errors: [tooManyJobs] }
  try {
    const jobs = [...chosen.values()].flatMap((one) => plannedJobs(one, stageOf.get(one.job.stage) ?? 0, chosen))
    requireFewNeeds(jobs)
    const { name } = configuration.workflow
    const pipelineName = name === null ? null : expandText(name, lookupOf(context, variables)).trim() || null
    return { kind: 'jobs', name: pipelineName, jobs, variables }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { kind: 'invalid', errors: error.messages }
  }
}
