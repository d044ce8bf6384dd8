import { dayOf, type UserActor } from '../../../api/index.ts'
import { isUniqueViolation } from '../../../infra/database/index.ts'
import { isZeroOid, parseOid, type RefName, shortRefName, tagName } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { repositoryById } from '../../../platform/repositories/index.ts'
import { afterPush, type PushedRef, type PushRow, pushJob, pushOrder } from '../../events/index.ts'
import { type Project, projectById, settingOf, withRole } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { cancelPipeline } from '../processing/job-changes.ts'
import type { PipelineRow } from '../tables.ts'
import { createPipeline } from './create.ts'
import type { NewVariable } from './pipeline-variables.ts'
import { hasPipelineOfPush, interruptiblePipelines } from './store.ts'

/** Pipelines of one push at most (contract 04, "Pipelines from Git"). */
const mostPipelines = 4

/** The variables of the push options `ci.variable="KEY=value"`; the last of one key counts. */
export function variablesOfOptions(options: readonly string[]): NewVariable[] {
  const given = options.flatMap((option): [string, string][] => {
    const [, key, value = ''] = /^ci\.variable="?([A-Za-z0-9_]{1,255})=(.*?)"?$/s.exec(option) ?? []
    return key === undefined ? [] : [[key, value]]
  })
  return [...new Map(given)].map(([key, value]) => ({ key, value }))
}

/** The project of a push and the user who pushed; null when one of them is gone. */
async function partiesOf(platform: Platform, push: PushRow) {
  const { database, clock } = platform
  const repository = await repositoryById(database.read, push.repository_id)
  if (repository?.kind !== 'project' || repository.project_id === null || push.user_id === null) return null
  const [row, user] = await Promise.all([
    projectById(database.read, repository.project_id),
    userById(database.read, push.user_id),
  ])
  if (!row || row.pending_delete || user?.state !== 'active') return null
  const actor = actingUser(platform, user)
  return { actor, project: await withRole(database.read, row, actor, dayOf(clock.now())) }
}

/** Creates the pipeline of one pushed ref, unless the push has created it already. */
async function createFor(
  platform: Platform,
  { project, actor }: { project: Project; actor: UserActor },
  push: PushRow,
  change: PushedRef,
): Promise<void> {
  const ref = shortRefName(change.ref as RefName)
  const isTag = tagName(change.ref as RefName) !== null
  const [sha, beforeSha] = [parseOid(change.new), parseOid(change.old)]
  if (!sha || (await hasPipelineOfPush(platform.database.read, push.id, ref, isTag))) return
  const created = await createPipeline(platform, {
    ...{ project, actor, ref: change.ref, source: 'push', variables: variablesOfOptions(push.push_options) },
    push: { id: push.id, sha, beforeSha: beforeSha && !isZeroOid(beforeSha) ? beforeSha : null },
    skip: push.push_options.includes('ci.skip') ? 'always' : 'if_marked',
    recordsInvalid: true,
  }).catch((error: unknown) => {
    if (isUniqueViolation(error, 'pipelines_push_unique')) return null
    throw error
  })
  if (!created) return
  if ('refused' in created) {
    const fields = { project: project.id, ref, reason: created.reason, refused: created.refused }
    if (created.reason === 'forbidden') platform.log.info(fields, 'a push created no pipeline')
    return
  }
  await cancelOlder(platform, project, created.pipeline)
}

/** Creates the pipelines of a push, after it has been answered. */
export const pushPipelinesJob = pushJob('pushes.pipelines', async (platform, push, signal) => {
  const parties = await partiesOf(platform, push)
  if (!parties) return
  const moved = push.changes.filter((change) => !/^0+$/.test(change.new))
  for (const change of moved.slice(0, mostPipelines)) {
    signal.throwIfAborted()
    await createFor(platform, parties, push, change)
  }
})

/** Has the pipelines of a push created; in its transaction, so that none is lost (contract 04, "Pipelines from Git"). */
export const createPipelinesOfPush = afterPush(pushPipelinesJob)

/** Lets a job run after the pipelines of the pushes so far to a repository were created. */
export const afterPushPipelines = (repositoryId: number) => pushOrder(pushPipelinesJob, repositoryId)

/** Cancels older pipelines of a branch or merge request that may be interrupted (contract 04, `auto_cancel_pending_pipelines`). */
export async function cancelOlder(platform: Platform, project: Project, pipeline: PipelineRow): Promise<void> {
  if (pipeline.tag || settingOf(project, 'auto_cancel_pending_pipelines') !== 'enabled') return
  const { database } = platform
  for (const id of await interruptiblePipelines(database.read, pipeline)) {
    await database.write((tx) => cancelPipeline(platform, tx, id))
  }
}
