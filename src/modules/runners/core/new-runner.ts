import { invalid } from '../../../api/index.ts'
import { acquireLock, jsonText, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { storedSetting } from '../../../platform/settings/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { projectById, settingOf } from '../../projects/index.ts'
import type { RunnerRow, RunnerType } from '../tables.ts'
import type { NewRunner } from './params.ts'
import * as store from './store.ts'
import { newRunnerToken, tokenExpiry, tokenIntervals } from './token.ts'
import { cleanTags, requireValidRunner } from './validation.ts'

/** To whom a new runner belongs. */
export type RunnerOwner =
  | { runner_type: 'instance_type' }
  | { runner_type: 'group_type'; groupId: number }
  | { runner_type: 'project_type'; projectId: number }

/** Checks the plan limit, under a lock, so that concurrent requests count each other. @throws ApiError 400 */
export async function requireRoom(tx: Tx, of: { groupId: number } | { projectId: number }): Promise<void> {
  const isGroup = 'groupId' in of
  await acquireLock(tx, `runners:${JSON.stringify(of)}`)
  const limits = await planLimits(tx)
  const limit = isGroup ? limits.ci_registered_group_runners : limits.ci_registered_project_runners
  if (limit === 0 || (await store.countRunners(tx, of)) < limit) return
  const word = isGroup ? 'group' : 'project'
  const field = isGroup ? 'runner_namespaces.base' : 'runner_projects.base'
  throw invalid({ [field]: [`Maximum number of ci registered ${word} runners (${limit}) exceeded`] })
}

/**
 * When a new token of a runner expires, by the setting of the instance for its type and those of its projects.
 * @param projectIds of a runner of projects
 */
export async function newTokenExpiry(
  tx: Tx,
  now: Date,
  type: RunnerType,
  projectIds: readonly number[],
): Promise<string | null> {
  const intervals = [await storedSetting(tx, tokenIntervals[type])]
  for (const id of projectIds) {
    const project = await projectById(tx, id)
    if (project) intervals.push(settingOf(project, 'runner_token_expiration_interval'))
  }
  return tokenExpiry(now, intervals)
}

/**
 * Inserts a runner with a new token.
 * @returns the row, and the text of the token, which is not stored
 * @throws ApiError 400, form C
 */
export async function insertNewRunner(
  { clock }: Platform,
  tx: Tx,
  owner: RunnerOwner,
  given: NewRunner,
  creatorId: number | null,
): Promise<{ row: RunnerRow; token: string }> {
  const draft = {
    description: given.description ?? null,
    maintenance_note: given.maintenance_note ?? null,
    maximum_timeout: given.maximum_timeout ?? null,
    run_untagged: given.run_untagged ?? true,
    tag_list: cleanTags(given.tag_list ?? []),
  }
  requireValidRunner(draft)
  if (owner.runner_type !== 'instance_type') await requireRoom(tx, owner)
  const projectIds = owner.runner_type === 'project_type' ? [owner.projectId] : []
  const { token, token_digest } = newRunnerToken()
  const moment = now(clock)
  const row = await store.insertRunner(tx, {
    ...draft,
    tag_list: jsonText(draft.tag_list),
    runner_type: owner.runner_type,
    namespace_id: owner.runner_type === 'group_type' ? owner.groupId : null,
    creator_id: creatorId,
    token_digest,
    token_expires_at: await newTokenExpiry(tx, clock.now(), owner.runner_type, projectIds),
    paused: given.paused ?? false,
    locked: given.locked ?? false,
    access_level: given.access_level ?? 'not_protected',
    ...{ name: null, version: null, revision: null, platform: null, architecture: null, executor: null },
    ...{ ip_address: null, contacted_at: null, created_at: moment, updated_at: moment },
  })
  for (const id of projectIds) await store.assignProject(tx, row.id, id)
  return { row, token }
}
