import type { Tx } from '../../../infra/database/index.ts'
import { holdProject, updateProject } from '../core/store.ts'
import type { ProjectRow } from '../tables.ts'
import { type ContainerPolicy, nextRunAt, runAfter } from './container-policy.ts'
import { nextPackagesRun } from './packages-policy.ts'
import { settingsOf } from './settings.ts'

/** Stores the cleanup policy of a locked project. */
export async function storePolicy(tx: Tx, project: ProjectRow, policy: ContainerPolicy): Promise<ProjectRow | null> {
  const settings = { ...project.settings, container_expiration_policy: policy }
  return updateProject(tx, project.id, { settings: JSON.stringify(settings) })
}

/**
 * Claims the due run of a project's cleanup policy, and schedules the next one. Periods that have passed are made up for by
 * one run. The project is locked until the transaction ends.
 * @param now ISO text
 * @returns the project with its policy; null when the policy is not due any more
 */
export async function claimPolicyRun(
  tx: Tx,
  projectId: number,
  now: string,
): Promise<{ project: ProjectRow; policy: ContainerPolicy } | null> {
  const held = await holdProject(tx, projectId)
  if (!held || held.pending_delete) return null
  const { container_expiration_policy: current } = settingsOf(held)
  if (!current.enabled || current.next_run_at === null || current.next_run_at > now) return null
  const policy = { ...current, next_run_at: runAfter(current, current.next_run_at, now) }
  const project = await storePolicy(tx, held, policy)
  return project && { project, policy }
}

/**
 * Puts the next run of a cleanup policy back that a clock ahead has set: further ahead than one period.
 * @param now ISO text
 */
export async function recallPolicyRun(tx: Tx, projectId: number, now: string): Promise<void> {
  const held = await holdProject(tx, projectId)
  if (!held || held.pending_delete) return
  const { container_expiration_policy: policy } = settingsOf(held)
  const next = nextRunAt(policy, now)
  if (policy.next_run_at !== null && policy.next_run_at > next)
    await storePolicy(tx, held, { ...policy, next_run_at: next })
}

/**
 * Claims the due run of a project's policy for packages, and schedules the next one. The project is locked until the transaction ends.
 * @param now ISO text
 * @returns how many files of one name a package keeps; null when the policy is not due any more
 */
export async function claimPackagesRun(tx: Tx, projectId: number, now: string): Promise<number | null> {
  const held = await holdProject(tx, projectId)
  if (!held || held.pending_delete) return null
  const { packages_cleanup_policy: policy } = settingsOf(held)
  const { keep_n_duplicated_package_files: keep, next_run_at: due } = policy
  if (keep === 'all' || due === null || due > now) return null
  const changed = { ...policy, next_run_at: nextPackagesRun(now) }
  const settings = { ...held.settings, packages_cleanup_policy: changed }
  await updateProject(tx, held.id, { settings: JSON.stringify(settings) })
  return Number(keep)
}
