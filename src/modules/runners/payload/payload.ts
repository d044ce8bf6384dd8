import type { Static } from '../../../api/index.ts'
import { ZERO_SHA1 } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { failureReasons, requestIidOf } from '../../pipelines/index.ts'
import { settingsOf } from '../../projects/index.ts'
import type { JobVariable } from '../../variables/index.ts'
import { jobUsername, registryOf, repositoryUrl } from './addresses.ts'
import { cachesOf } from './caches.ts'
import type { JobFacts } from './facts.ts'
import type { JobPayload } from './schema.ts'
import { artifactsOf, hooksOf, imageOf, servicesOf, stepsOf } from './steps.ts'
import { runningOnShared } from './store.ts'
import { variablesOf } from './variables.ts'

/** How much history is fetched; 0 is all of it. */
function depthOf({ project }: JobFacts, variables: readonly JobVariable[]): number {
  const given = variables.find(({ key }) => key === 'GIT_DEPTH')?.value.trim() ?? ''
  if (/^\d{1,9}$/.test(given)) return Number(given)
  return settingsOf(project).ci_default_git_depth ?? 0
}

function refspecsOf({ pipeline }: JobFacts, depth: number): string[] {
  const own = `+refs/pipelines/${pipeline.id}:refs/pipelines/${pipeline.id}`
  if (depth === 0) return [own, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  if (requestIidOf(pipeline) !== null) return [own]
  const { ref, tag } = pipeline
  return [own, tag ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`]
}

function gitInfo(platform: Platform, facts: JobFacts, variables: readonly JobVariable[]) {
  const { pipeline, job, repositoryRow } = facts
  const depth = depthOf(facts, variables)
  return {
    repo_url: repositoryUrl(platform, facts),
    repo_object_format: repositoryRow.object_format,
    ref: pipeline.ref,
    sha: job.sha,
    before_sha: pipeline.before_sha ?? ZERO_SHA1,
    ref_type: pipeline.tag ? 'tag' : 'branch',
    refspecs: refspecsOf(facts, depth),
    depth,
    protected: job.protected,
  }
}

async function jobInfo(platform: Platform, { job, project, runner }: JobFacts) {
  const waitedMs = Date.parse(job.started_at ?? job.updated_at) - Date.parse(job.queued_at ?? job.created_at)
  const others =
    runner.runner_type === 'instance_type'
      ? await runningOnShared(platform.database.read, job)
      : Number.POSITIVE_INFINITY
  return {
    ...{ id: job.id, name: job.name, stage: job.stage, pipeline_id: job.pipeline_id, project_id: project.id },
    ...{ project_name: project.name, project_full_path: project.full_path },
    time_in_queue_seconds: Math.max(0, Math.floor(waitedMs / 1000)),
    project_jobs_running_on_instance_runners_count:
      others === 0 ? '0' : others === Number.POSITIVE_INFINITY ? 'Inf+' : '1+',
  }
}

function presentVariable({ key, value, public: isPublic, masked, file, raw }: JobVariable) {
  return { key, value, public: isPublic, masked, ...(file ? { file } : {}), ...(raw ? { raw } : {}) }
}

function credentialsOf(platform: Platform, facts: JobFacts) {
  const url = registryOf(platform, facts)
  return url === null ? [] : [{ type: 'registry', url, username: jobUsername, password: facts.token }]
}

function dependenciesOf({ dependencies, token }: JobFacts) {
  return dependencies.flatMap(({ id, name, archive }) =>
    archive ? [{ id, name, token, artifacts_file: { filename: archive.file_name, size: archive.size_bytes } }] : [],
  )
}

/** Prefixes of tokens that runners mask in logs. */
const token_mask_prefixes = ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-']

/** Everything that a runner needs for a job (contract 04, "Job payload"). */
export async function payloadOf(platform: Platform, facts: JobFacts): Promise<Static<typeof JobPayload>> {
  const { job, definition, token, timeoutSeconds: timeout } = facts
  const [variables, job_info, cache] = await Promise.all([
    variablesOf(platform, facts),
    jobInfo(platform, facts),
    cachesOf(facts),
  ])
  return {
    ...{ id: job.id, token, allow_git_fetch: true, job_info },
    git_info: gitInfo(platform, facts, variables),
    runner_info: { timeout, runner_session_url: null },
    variables: variables.map(presentVariable),
    steps: stepsOf(definition, timeout),
    hooks: hooksOf(definition),
    image: imageOf(definition),
    services: servicesOf(definition),
    artifacts: artifactsOf(definition),
    cache,
    credentials: credentialsOf(platform, facts),
    dependencies: dependenciesOf(facts),
    features: { trace_sections: true, token_mask_prefixes, failure_reasons: [...failureReasons] },
  }
}
