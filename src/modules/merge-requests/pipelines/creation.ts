import { type Actor, dayOf, failure, invalid, requireSignedIn, type UserActor } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { repositoryOfProject } from '../../../platform/repositories/index.ts'
import { requestSource } from '../../ci-config/index.ts'
import { afterPushPipelines, cancelOlder, createPipeline, presentPipeline, requestRef } from '../../pipelines/index.ts'
import { projectById, withRole } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { upToDate } from '../core/single.ts'
import { mergeRequestById } from '../core/store.ts'
import { latestVersion } from '../heads/store.ts'
import type { ProjectMergeRequest } from '../subject.ts'

type Creation = { mergeRequestId: number; sha: string; userId: number; since: string }

/** Creates the pipeline of the head of a merge request, and cancels those before it that may be interrupted. */
async function createFor(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  actor: UserActor,
  { since, skip }: { since?: string; skip?: 'if_marked' },
) {
  const sha = parseOid(row.sha)
  if (!sha) throw new Error(`the head of merge request ${row.id} is no commit`)
  const version = await latestVersion(platform.database.read, row.id)
  const created = await createPipeline(platform, {
    ...{ project, actor, ref: requestRef(row.iid), source: requestSource },
    request: {
      branches: { source: row.source_branch, target: row.target_branch },
      ...{ sha, baseSha: version?.base_sha ?? null },
      ...(since === undefined ? {} : { since }),
    },
    ...(skip && { skip }),
  })
  if (!('refused' in created)) await cancelOlder(platform, project, created.pipeline)
  return created
}

/** The merge request and the user of a job, as they are now; null when nothing is to be created any more. */
async function partiesOf(platform: Platform, { mergeRequestId, sha, userId }: Creation) {
  const { database, clock } = platform
  const row = await mergeRequestById(database.read, mergeRequestId)
  // Of a later head there is another job.
  if (row?.state !== 'opened' || row.sha !== sha) return null
  const [project, user] = await Promise.all([
    projectById(database.read, row.project_id),
    userById(database.read, userId),
  ])
  if (!project || project.pending_delete || user?.state !== 'active') return null
  const actor = actingUser(platform, user)
  return { actor, found: { row, project: await withRole(database.read, project, actor, dayOf(clock.now())) } }
}

/** Creates the pipeline of a merge request where its configuration has jobs for it (contract 24, Merge request pipelines). */
export const requestPipelineJob: Job<Creation> = {
  kind: 'merge_requests.create_pipeline',
  queue: 'pipelines',
  async run(platform, creation) {
    const parties = await partiesOf(platform, creation)
    if (!parties) return
    const { actor, found } = parties
    const created = await createFor(platform, found, actor, { since: creation.since, skip: 'if_marked' })
    if ('refused' in created && created.reason === 'forbidden') {
      const fields = { mergeRequest: found.row.id, refused: created.refused }
      platform.log.info(fields, 'a merge request got no pipeline')
    }
  },
}

/** Has the pipeline created, after those of the pushes so far. */
async function createLater(platform: Platform, tx: Tx, projectId: number, creation: Omit<Creation, 'since'>) {
  const repository = await repositoryOfProject(tx, projectId)
  if (!repository) return
  const since = now(platform.clock)
  await enqueue(platform, tx, requestPipelineJob, { ...creation, since }, afterPushPipelines(repository.id))
}

/** A merge request was created, or its source branch was pushed to. */
export const createPipelinesOfChanged: Reaction<Events['merge_request.changed']> = async (platform, tx, changed) => {
  const { mergeRequestId, projectId, userId, sha, previousSha } = changed
  if (userId === null || sha === previousSha) return
  await createLater(platform, tx, projectId, { mergeRequestId, sha, userId })
}

/** A merge request was reopened. */
export const createPipelinesOfReopened: Reaction<Events['merge_request.saved']> = async (platform, tx, saved) => {
  const { mergeRequestId, projectId, userId, action } = saved
  const row = action === 'reopen' ? await mergeRequestById(tx, mergeRequestId) : null
  if (row) await createLater(platform, tx, projectId, { mergeRequestId, sha: row.sha, userId })
}

/**
 * Creates a pipeline for a merge request, now or in the background (contract 24, x.mr_pipeline_create).
 * @returns the pipeline; null when it is created in the background
 * @throws ApiError 400, 405
 */
export async function requestPipeline(
  platform: Platform,
  asked: ProjectMergeRequest,
  actor: Actor,
  { isLater }: { isLater: boolean },
) {
  const user = requireSignedIn(actor)
  const found = { ...asked, row: await upToDate(platform, asked) }
  if (found.row.state !== 'opened') throw failure(405, '405 Method Not Allowed')
  if (isLater) {
    const { id, sha, project_id } = found.row
    const creation = { mergeRequestId: id, sha, userId: user.userId }
    await platform.database.write((tx) => createLater(platform, tx, project_id, creation))
    return null
  }
  const created = await createFor(platform, found, user, {})
  if ('refused' in created) throw invalid({ base: [...created.refused] })
  return presentPipeline(platform, found.project, created.pipeline)
}
