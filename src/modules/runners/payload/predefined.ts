import type { Platform } from '../../../platform/index.ts'
import { predefinedVariables, slugOf } from '../../ci-config/index.ts'
import { environmentNamed } from '../../environments/index.ts'
import { variablesOfSite } from '../../pages/index.ts'
import { scheduleById } from '../../pipeline-schedules/index.ts'
import { defaultBranchName } from '../../projects/index.ts'
import type { JobVariable } from '../../variables/index.ts'
import { jobUsername, registryOf, repositoryUrl } from './addresses.ts'
import type { JobFacts } from './facts.ts'

type Values = Record<string, string>

/** A variable whose value is known before the job runs, and may be shown. */
const shown = (key: string, value: string): JobVariable => ({
  ...{ key, value, public: true, masked: false, file: false, raw: true },
})

/** A variable whose value must not be in the log. */
const secret = (key: string, value: string): JobVariable => ({ ...shown(key, value), public: false, masked: true })

function ofPipeline({ externalUrl }: Platform, { pipeline, project }: JobFacts): Values {
  return {
    CI_PIPELINE_ID: String(pipeline.id),
    CI_PIPELINE_IID: String(pipeline.iid),
    CI_PIPELINE_URL: `${externalUrl}/${project.full_path}/-/pipelines/${pipeline.id}`,
    CI_PIPELINE_CREATED_AT: pipeline.created_at,
    CI_PIPELINE_NAME: pipeline.name ?? '',
  }
}

async function ofSchedule({ database }: Platform, { pipeline }: JobFacts): Promise<Values> {
  const { schedule_id: id } = pipeline
  if (id === null) return {}
  const schedule = await scheduleById(database.read, id)
  return { CI_PIPELINE_SCHEDULE_ID: String(id), CI_PIPELINE_SCHEDULE_DESCRIPTION: schedule?.description ?? '' }
}

function ofJob({ externalUrl }: Platform, { job, project, definition, timeoutSeconds }: JobFacts): Values {
  const { node } = definition
  return {
    CI_JOB_ID: String(job.id),
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slugOf(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_URL: `${externalUrl}/${project.full_path}/-/jobs/${job.id}`,
    CI_JOB_STARTED_AT: job.started_at ?? '',
    CI_JOB_TIMEOUT: String(timeoutSeconds),
    ...(job.run_when === 'manual' ? { CI_JOB_MANUAL: 'true' } : {}),
    ...(job.frozen ? { CI_DEPLOY_FREEZE: 'true' } : {}),
    CI_NODE_TOTAL: String(node?.total ?? 1),
    ...(node ? { CI_NODE_INDEX: String(node.index) } : {}),
  }
}

function ofRunner({ runner }: JobFacts): Values {
  return {
    CI_RUNNER_ID: String(runner.id),
    CI_RUNNER_DESCRIPTION: runner.description ?? '',
    CI_RUNNER_TAGS: JSON.stringify(runner.tag_list),
  }
}

/** Variables with the token of the job, which the log must not show. */
function ofToken(platform: Platform, facts: JobFacts): JobVariable[] {
  const { token, project } = facts
  const host = registryOf(platform, facts)
  return [
    secret('CI_JOB_TOKEN', token),
    secret('CI_REPOSITORY_URL', repositoryUrl(platform, facts)),
    ...(host === null
      ? []
      : [
          shown('CI_REGISTRY', host),
          shown('CI_REGISTRY_IMAGE', `${host}/${project.full_path.toLowerCase()}`),
          shown('CI_REGISTRY_USER', jobUsername),
          secret('CI_REGISTRY_PASSWORD', token),
        ]),
  ]
}

async function ofTag({ pipeline, repository, repositoryRow }: JobFacts): Promise<Values> {
  if (!pipeline.tag) return {}
  const tag = (await repository.refs(repositoryRow.generation)).tag(pipeline.ref)
  const annotated = tag?.type === 'tag' ? (await repository.tagObjects([tag.oid])).get(tag.oid) : undefined
  return { CI_COMMIT_TAG_MESSAGE: annotated?.message ?? '' }
}

/** The source branch, among the variables about a merge request. */
const sourceBranchIn = (variables: readonly Pick<JobVariable, 'key' | 'value'>[]) =>
  variables.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')?.value

/** The predefined variables of a job (contract 04, "Predefined variables"), without those of its environment. */
export async function predefinedOf(platform: Platform, facts: JobFacts): Promise<JobVariable[]> {
  const { project, commit, pipeline, job, user } = facts
  const [defaultBranch, requests, schedule, tag] = await Promise.all([
    defaultBranchName(platform, project),
    platform.ports['pipelines.request_variables'](platform, project, pipeline),
    ofSchedule(platform, facts),
    ofTag(facts),
  ])
  const known = predefinedVariables(platform, {
    ...{ project, commit, defaultBranch, user, beforeSha: pipeline.before_sha, isProtected: job.protected },
    ...{ ref: sourceBranchIn(requests) ?? pipeline.ref, tag: pipeline.tag, source: pipeline.source },
  })
  const own = {
    ...tag,
    ...ofPipeline(platform, facts),
    ...schedule,
    ...ofJob(platform, facts),
    ...ofRunner(facts),
  }
  return [
    ...[...known, ...requests].map(({ key, value }) => shown(key, value)),
    ...Object.entries(own).map(([key, value]) => shown(key, value)),
    ...ofToken(platform, facts),
  ]
}

/** The variables of a job's environment (contract 24, Environments in CI). @param name with its references replaced */
export async function environmentVariables(
  { database }: Platform,
  { job, definition: { environment } }: JobFacts,
  name: string | null,
): Promise<JobVariable[]> {
  if (!environment || name === null) return []
  const { url, action } = environment
  const row = await environmentNamed(database.read, job.project_id, name)
  return [
    shown('CI_ENVIRONMENT_NAME', name),
    shown('CI_ENVIRONMENT_ACTION', action),
    ...(row === null
      ? []
      : [
          shown('CI_ENVIRONMENT_SLUG', row.slug),
          shown('CI_ENVIRONMENT_TIER', row.tier),
          shown('CI_ENVIRONMENT_ID', String(row.id)),
        ]),
    ...(url === null ? [] : [{ ...shown('CI_ENVIRONMENT_URL', url), raw: false }]),
  ]
}

/** The variables of the site of the project (contract 24, Pages: addresses). @param expand replaces references to variables */
export async function siteVariables(
  platform: Platform,
  { project, definition: { pages } }: JobFacts,
  expand: (text: string) => string,
): Promise<JobVariable[]> {
  const values = await variablesOfSite(platform, project, pages ?? null, expand)
  return Object.entries(values).map(([key, value]) => shown(key, value))
}
