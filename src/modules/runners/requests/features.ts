import type { JobDefinition } from '../../ci-config/index.ts'
import type { RunnerFeatures } from '../protocol/params.ts'

/** What a runner must be able to do for a job, by the feature's name. */
const needed: Readonly<Partial<Record<keyof RunnerFeatures, (job: JobDefinition) => boolean>>> = {
  upload_multiple_artifacts: ({ artifacts }) => Object.keys(artifacts?.reports ?? {}).length > 0,
  artifacts_exclude: ({ artifacts }) => (artifacts?.exclude.length ?? 0) > 0,
  return_exit_code: ({ allowFailureExitCodes }) => allowFailureExitCodes.length > 0,
  fallback_cache_keys: ({ cache }) => cache.some(({ fallbackKeys }) => fallbackKeys.length > 0),
}

/** Whether a runner announced everything that a job needs (contract 04, "Job selection for a runner"). */
export function supports(features: RunnerFeatures, job: JobDefinition): boolean {
  const names = Object.keys(needed) as (keyof RunnerFeatures)[]
  return names.every((name) => features[name] === true || !needed[name]?.(job))
}
