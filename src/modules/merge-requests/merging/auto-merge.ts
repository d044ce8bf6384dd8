import { type Actor, ApiError, dayOf, failure, requireSignedIn, unauthorized } from '../../../api/index.ts'
import { jsonText, type Tx } from '../../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { requireWorker } from '../../features/index.ts'
import { afterPushPipelines, pipelineById } from '../../pipelines/index.ts'
import { projectById, withRole } from '../../projects/index.ts'
import { mayMerge } from '../../protected-branches/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { upToDate } from '../core/single.ts'
import { holdMergeRequest, mergeRequestById, updateMergeRequest } from '../core/store.ts'
import { detailedStatus, isUnfinished, statusFacts } from '../mergeability/status.ts'
import { isAuthor, type ProjectMergeRequest } from '../subject.ts'
import type { AutoMerge, MergeRequestRow } from '../tables.ts'
import { type MergeRequestOptions, merge, requireHead, requireMergeable, requireMerger } from './merge.ts'
import { autoMergesOf } from './store.ts'

type AutoMergeOptions = MergeRequestOptions & { auto_merge?: boolean; merge_when_pipeline_succeeds?: boolean }

/** The newest pipeline of the head, whether another request must be merged first, and the status without both. */
async function lookAt(platform: Platform, { project, row }: ProjectMergeRequest) {
  const facts = (await statusFacts(platform, new Map([[project.id, project]]), [row]))(row)
  const settings = { ...project.settings, only_allow_merge_if_pipeline_succeeds: false }
  const { pipeline, isBlocked } = facts
  const status = detailedStatus(row, { ...facts, project: { ...project, settings }, isBlocked: false })
  return { pipeline, isBlocked, status }
}

/** A wish may wait for status checks as for the pipeline, when nothing else is missing (contract 24, Status checks). */
const waitsForChecks = (status: string) => status === 'status_checks_must_pass'

type WishOptions = { remove?: boolean | undefined; orderKey?: string }

async function storeWish(
  platform: Platform,
  row: MergeRequestRow,
  wish: AutoMerge,
  { remove, orderKey }: WishOptions = {},
) {
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, row.id)
    if (held?.state !== 'opened' || held.sha !== wish.sha) throw failure(405, '405 Method Not Allowed')
    await updateMergeRequest(tx, row.id, {
      auto_merge: jsonText(wish),
      ...(remove === undefined ? {} : { should_remove_source_branch: remove }),
    })
    // The pipeline may have ended meanwhile.
    await enqueue(platform, tx, autoMergeJob, { mergeRequestId: row.id }, { orderKey })
  })
}

/**
 * Merges a request, or marks it to be merged when its running pipeline has succeeded, its status checks have passed and those that it
 * waits for are merged (contract 19, x.mr_merge; 26.5).
 * @throws ApiError 401, 405, 409, 422
 */
export async function mergeOrWait(
  platform: Platform,
  asked: ProjectMergeRequest,
  actor: Actor,
  { auto_merge, merge_when_pipeline_succeeds, ...options }: AutoMergeOptions,
): Promise<MergeRequestRow> {
  if (!(auto_merge ?? merge_when_pipeline_succeeds)) return merge(platform, asked, actor, options)
  await requireMerger(platform, asked, actor)
  const found = { ...asked, row: await upToDate(platform, asked) }
  const { pipeline, isBlocked, status } = await lookAt(platform, found)
  const waits = isBlocked || (pipeline !== undefined && isUnfinished(pipeline))
  if (!waits) return merge(platform, asked, actor, options)
  if (!waitsForChecks(status)) requireMergeable(status)
  requireHead(found.row, options.sha)
  const { merge_commit_message, squash_commit_message, squash } = options
  const wish: AutoMerge = {
    ...{ userId: requireSignedIn(actor).userId, sha: found.row.sha, squash: squash ?? null },
    ...{ mergeCommitMessage: merge_commit_message ?? null, squashCommitMessage: squash_commit_message ?? null },
  }
  await storeWish(platform, found.row, wish, { remove: options.should_remove_source_branch })
  return upToDate(platform, found)
}

/**
 * Marks a request to be merged when the pipelines of the push that asks for it are created and have succeeded; at once when it
 * creates none (contract 22 R6).
 * @throws ApiError 401, 405, 422
 */
export async function mergeAfterPush(
  platform: Platform,
  asked: ProjectMergeRequest,
  actor: Actor,
  repositoryId: number,
): Promise<void> {
  await requireMerger(platform, asked, actor)
  const found = { ...asked, row: await upToDate(platform, asked) }
  const { status } = await lookAt(platform, found)
  if (!waitsForChecks(status)) requireMergeable(status)
  const unset = { squash: null, mergeCommitMessage: null, squashCommitMessage: null }
  const wish: AutoMerge = { userId: requireSignedIn(actor).userId, sha: found.row.sha, ...unset }
  await storeWish(platform, found.row, wish, afterPushPipelines(repositoryId))
}

/** Forgets the wish to merge later. @throws ApiError 401; 406 when there is none (contract 19, x.mr_cancel_auto) */
export async function cancelAutoMerge(platform: Platform, found: ProjectMergeRequest, actor: Actor) {
  const { project, row } = found
  const mayCancel = isAuthor(actor, row) || (await mayMerge(platform, project, actor, row.target_branch))
  if (!mayCancel) throw unauthorized()
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, row.id)
    if (held?.state !== 'opened' || !held.auto_merge) throw failure(406, "Can't cancel the automatic merge")
    await updateMergeRequest(tx, row.id, { auto_merge: null })
  })
  return { status: 'success' }
}

async function endWish(platform: Platform, id: number, error: string): Promise<void> {
  await platform.database.write((tx) => updateMergeRequest(tx, id, { auto_merge: null, merge_error: error }))
}

/** Merges a request that waited, in the name of the user who asked for it. */
async function mergeNow(platform: Platform, row: MergeRequestRow, wish: AutoMerge): Promise<void> {
  const { database, clock } = platform
  const [projectRow, user] = await Promise.all([
    projectById(database.read, row.project_id),
    userById(database.read, wish.userId),
  ])
  if (!projectRow || user?.state !== 'active')
    return endWish(platform, row.id, 'The user who asked for the merge is not active.')
  const actor = actingUser(platform, user)
  const found = { project: await withRole(database.read, projectRow, actor, dayOf(clock.now())), row }
  const { pipeline, isBlocked, status } = await lookAt(platform, found)
  if (waitsForChecks(status) || isBlocked) return
  // A retry of a failed pipeline may still succeed. A skipped one may be enough: the merge asks the project.
  if (pipeline && pipeline.status !== 'success' && pipeline.status !== 'skipped') return
  await merge(platform, found, actor, {
    sha: wish.sha,
    ...(wish.squash === null ? {} : { squash: wish.squash }),
    ...(wish.mergeCommitMessage === null ? {} : { merge_commit_message: wish.mergeCommitMessage }),
    ...(wish.squashCommitMessage === null ? {} : { squash_commit_message: wish.squashCommitMessage }),
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    return endWish(platform, row.id, 'The merge request could not be merged when its pipeline had succeeded.')
  })
}

export const autoMergeJob: Job<{ mergeRequestId: number }> = {
  kind: 'merge_requests.auto_merge',
  queue: 'merges',
  async run(platform, { mergeRequestId }) {
    const row = await mergeRequestById(platform.database.read, mergeRequestId)
    if (row?.state !== 'opened' || !row.auto_merge) return
    await requireWorker(platform, 'auto_merge_worker', { projectId: row.project_id })
    await mergeNow(platform, row, row.auto_merge)
  },
}

/** Has a request merged, if it is marked, when what it waits for may be there. */
export const mergeIfMarked = (platform: Platform, tx: Tx, mergeRequestId: number): Promise<unknown> =>
  enqueue(platform, tx, autoMergeJob, { mergeRequestId })

/** Has the requests merged that wait for a pipeline which has ended. */
export const mergeAfterPipeline: Reaction<Events['pipeline.changed']> = async (platform, tx, { pipelineId }) => {
  const pipeline = await pipelineById(tx, pipelineId)
  if (!pipeline || isUnfinished(pipeline)) return
  for (const { id } of await autoMergesOf(tx, pipeline.project_id, pipeline.sha)) {
    await mergeIfMarked(platform, tx, id)
  }
}
