import { expandText, expandVariables } from '../../../infra/expansion/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  asJobVariable,
  openVariables,
  readJobVariables,
  variablesOf as variablesOfPipeline,
} from '../../pipelines/index.ts'
import {
  bytesOfVariables,
  type JobVariable,
  mergeVariables,
  mostBytesOfJob,
  storedVariables,
} from '../../variables/index.ts'
import type { JobFacts } from './facts.ts'
import { environmentVariables, predefinedOf, siteVariables } from './predefined.ts'

function ofConfiguration({ definition }: JobFacts): JobVariable[] {
  return definition.variables.map(({ key, value, raw }) => {
    return { key, value, raw, public: true, masked: false, file: false }
  })
}

/** Expands references among the variables; `$$` stays, since the runner expands once more. */
function expanded(variables: readonly JobVariable[]): JobVariable[] {
  const values = expandVariables(variables, true)
  return variables.map((variable) => ({ ...variable, value: values.get(variable.key) ?? variable.value }))
}

/** Replaces references to variables in texts. They are expanded when a text has the first one. */
function expanding(variables: Parameters<typeof mergeVariables>[0]): (text: string) => string {
  let values: ReadonlyMap<string, string> | undefined
  return (text) =>
    expandText(text, (key) => {
      values ??= expandVariables(mergeVariables(variables))
      return values.get(key)
    })
}

/** @throws Error when the variables of a job are together too large, so that the job fails (contract 03, "Delivery to jobs") */
function bounded(variables: JobVariable[]): JobVariable[] {
  const bytes = bytesOfVariables(variables)
  if (bytes > mostBytesOfJob)
    throw new Error(`the variables of the job have ${bytes} bytes, the limit is ${mostBytesOfJob}`)
  return variables
}

/**
 * All variables of a job in the order of contract 03 "Delivery to jobs", each key once.
 * @throws Error when they are too large
 */
export async function variablesOf(platform: Platform, facts: JobFacts): Promise<JobVariable[]> {
  const { job, project, pipeline, definition, dependencies } = facts
  const reportJobs = dependencies.map(({ id }) => id)
  const [predefined, stored, rows, own, reports] = await Promise.all([
    predefinedOf(platform, facts),
    storedVariables(platform, project, job.protected),
    variablesOfPipeline(platform.database.read, pipeline.id),
    readJobVariables(platform, [job.id]),
    readJobVariables(platform, reportJobs),
  ])
  const pipelineVariables = (await openVariables(platform, rows)).map(asJobVariable)
  const given = {
    predefined,
    configuration: ofConfiguration(facts),
    reports: reports.reports,
    pipeline: pipelineVariables,
  }
  const withOwn = { ...given, played: own.played }
  const name = definition.environment?.name ?? null
  // The name may refer to variables, of which those for any environment are known before it.
  const environment = name === null ? null : expanding({ ...withOwn, ...stored.forJob(null) })(name)
  const ofJob = { ...withOwn, ...stored.forJob(environment) }
  const withEnvironment = [...predefined, ...(await environmentVariables(platform, facts, environment))]
  // The path of the site may refer to variables as well.
  const ofSite = await siteVariables(platform, facts, expanding({ ...ofJob, predefined: withEnvironment }))
  const merged = mergeVariables({ ...ofJob, predefined: [...withEnvironment, ...ofSite] })
  return bounded(expanded(bounded(merged)))
}
