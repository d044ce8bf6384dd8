import type { JobDefinition } from '../../ci-config/index.ts'
import type { CiJobRow } from '../tables.ts'

/** Why a job failed (contract 04, "Failure reasons returned"). */
export const failureReasons = [
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'user_blocked',
  'project_deleted',
  'no_matching_runner',
  'trace_size_exceeded',
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
  'unknown_failure',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** The reason that a runner reports; `script_failure` when it reports none. */
export function failureReason(text: string | undefined): FailureReason {
  if (!text) return 'script_failure'
  return failureReasons.find((reason) => reason === text) ?? 'unknown_failure'
}

/** What has to do with the environment of a job: the same would happen to a new job. */
const lasting: ReadonlySet<string> = new Set([
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
])

/** Whether a failed job is to be retried by itself (contract 04, `retry`). */
export function hasRetryLeft(
  { retries, failure_reason: reason, retried }: Pick<CiJobRow, 'retries' | 'failure_reason' | 'retried'>,
  { max, when }: JobDefinition['retry'],
): boolean {
  if (lasting.has(reason ?? '')) return false
  return !retried && retries < max && (when.includes('always') || when.includes(reason ?? 'unknown_failure'))
}
