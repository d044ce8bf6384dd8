import type { Actor } from '../../api/index.ts'
import { jsonText, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { instanceTarget, type Platform, recordAct } from '../../platform/index.ts'
import { changedLimits, storeLimits } from './store.ts'

/** Limits that administrators can change, with their defaults; 0 means no limit (contract 03, Plan limits). */
export const defaultLimits = {
  ci_instance_level_variables: 25,
  ci_pipeline_size: 0,
  ci_active_jobs: 0,
  ci_project_subscriptions: 2,
  ci_pipeline_schedules: 0,
  ci_needs_size_limit: 50,
  ci_registered_group_runners: 1000,
  ci_registered_project_runners: 1000,
  dotenv_size: 5120,
  dotenv_variables: 20,
  conan_max_file_size: 3_221_225_472,
  enforcement_limit: 0,
  generic_packages_max_file_size: 5_368_709_120,
  helm_max_file_size: 5_242_880,
  maven_max_file_size: 3_221_225_472,
  notification_limit: 0,
  npm_max_file_size: 524_288_000,
  nuget_max_file_size: 524_288_000,
  pipeline_hierarchy_size: 1000,
  pypi_max_file_size: 3_221_225_472,
  storage_size_limit: 0,
  terraform_module_max_file_size: 1_073_741_824,
} as const satisfies Record<string, number>

/** Limits that cannot be changed (contract 03, Plan limits). */
export const fixedLimits = {
  project_ci_variables: 8000,
  group_ci_variables: 30_000,
  project_feature_flags: 200,
  project_ci_secure_files: 100,
} as const

export type PlanLimits = Record<keyof typeof defaultLimits, number>

/** The limits in force. */
export async function planLimits(db: Reader): Promise<PlanLimits> {
  return { ...defaultLimits, ...(await changedLimits(db)) }
}

/** Changes limits (contract 03, x.plan_limits_put). Rows above a lowered limit stay. */
export async function changePlanLimits(
  platform: Platform,
  changes: Partial<Record<keyof PlanLimits, number | undefined>>,
  actor: Actor,
): Promise<PlanLimits> {
  const { database, clock } = platform
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  return database.write(async (tx: Tx) => {
    await storeLimits(tx, jsonText({ ...(await changedLimits(tx)), ...given }), now(clock))
    await recordAct(platform, tx, actor, { name: 'plan_limits.update', target: instanceTarget, changed: given })
    return planLimits(tx)
  })
}
