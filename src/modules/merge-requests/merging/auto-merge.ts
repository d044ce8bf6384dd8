import { type Actor, ApiError, dayOf, failure, requireSignedIn, unauthorized } from '../../../api/index.ts'
import { jsonText, type Tx } from '../../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction, react } from '../../../platform/index.ts'
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
import {
  type MergeRequestOptions,
  merge,
  requireHead,
  requireMergeable,
  requireMerger,
  withoutPipelines,
} from './merge.ts'
import { autoMergesOf } from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** A user has taken back the wish that a merge request is merged later: its row has it no more. */
    'merge_request.auto_merge_canceled': { mergeRequestId: number; userId: number }
  }
  interface Questions {
    /** Does what the wish for a merge train asks for now (contract 26 R3). */
    'merge_requests.follow_train'(row: MergeRequestRow, wish: AutoMerge): Promise<void>
  }
}

type AutoMergeOptions = MergeRequestOptions & { auto_merge?: boolean; merge_when_pipeline_succeeds?: boolean }

/** The newest pipeline of the head, whether another request must be merged first, and the status without both. */
async function lookAt(platform: Platform, { project, row }: ProjectMergeRequest) {
  const facts = (await statusFacts(platform, new Map([[project.id, project]]), [row]))(row)
  const { pipeline, isBlocked } = facts
  const status = detailedStatus(row, { ...facts, project: withoutPipelines(project), isBlocked: false })
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
    const isOnTrain = held?.auto_merge?.train === 'entered'
    if (held?.state !== 'opened' || held.sha !== wish.sha || isOnTrain) throw failure(405, '405 Method Not Allowed')
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

/** Checks that the caller may end a merge that waits: who may merge, or the author. @throws ApiError 401 */
export async function requireCanceler(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  actor: Actor,
): Promise<void> {
  const mayCancel = isAuthor(actor, row) || (await mayMerge(platform, project, actor, row.target_branch))
  if (!mayCancel) throw unauthorized()
}

/** Forgets the wish to merge later, also by a train. @throws ApiError 401; 406 when there is none (contract 19, x.mr_cancel_auto) */
export async function cancelAutoMerge(platform: Platform, found: ProjectMergeRequest, actor: Actor) {
  const { row } = found
  await requireCanceler(platform, found, actor)
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, row.id)
    if (held?.state !== 'opened' || !held.auto_merge) throw failure(406, "Can't cancel the automatic merge")
    await updateMergeRequest(tx, row.id, { auto_merge: null })
    const { userId } = requireSignedIn(actor)
    await react(platform, tx, 'merge_request.auto_merge_canceled', { mergeRequestId: row.id, userId })
  })
  return { status: 'success' }
}

/** Forgets a wish that cannot be fulfilled. */
export async function endWish(platform: Platform, id: number, error: string): Promise<void> {
  await platform.database.write((tx) => updateMergeRequest(tx, id, { auto_merge: null, merge_error: error }))
}

/** The request as its user may act on it now; null when the user or the project is gone, or the account is not active. */
export async function partiesOfWish(platform: Platform, row: MergeRequestRow, { userId }: Pick<AutoMerge, 'userId'>) {
  const { database, clock } = platform
  const [project, user] = await Promise.all([
    projectById(database.read, row.project_id),
    userById(database.read, userId),
  ])
  if (!project || user?.state !== 'active') return null
  const actor = actingUser(platform, user)
  return { actor, found: { project: await withRole(database.read, project, actor, dayOf(clock.now())), row } }
}

/** Merges a request that waited, in the name of the user who asked for it. */
async function mergeNow(platform: Platform, row: MergeRequestRow, wish: AutoMerge): Promise<void> {
  const parties = await partiesOfWish(platform, row, wish)
  if (!parties) return endWish(platform, row.id, 'The user who asked for the merge is not active.')
  const { actor, found } = parties
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
    if (row.auto_merge.train) await platform.ports['merge_requests.follow_train'](platform, row, row.auto_merge)
    else await mergeNow(platform, row, row.auto_merge)
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
