import { now } from '../../../infra/database/index.ts'
import { GitError, type Oid, refName } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type OpenedRepository, outsideGate } from '../../../platform/repositories/index.ts'
import { requestSource } from '../../ci-config/index.ts'
import { type AutoMerge, type MergeRequestRow, partiesOfWish, prepareMerge } from '../../merge-requests/index.ts'
import { cancelPipeline, createPipeline, newestPipelines, trainRef } from '../../pipelines/index.ts'
import { carOf, setCommit, setPipeline } from '../store.ts'
import type { CarRow } from '../tables.ts'
import { leave, renewFrom } from './leaving.ts'

/** A car whose merge request is open, and what it was asked for. */
export type OpenCar = { car: CarRow; row: MergeRequestRow; wish: AutoMerge }

async function leaveFor(platform: Platform, { row }: OpenCar, reason: string): Promise<void> {
  await platform.database.write((tx) => leave(platform, tx, row.id, { reason }))
}

/**
 * Writes the commit of a car: its merge into the commit of the car before, or into the head of the target branch. The commit is stored
 * before anything names it, so that two processes test the same one.
 */
export async function build(platform: Platform, opened: OpenedRepository, one: OpenCar, base: Oid): Promise<void> {
  const { car, row, wish } = one
  const parties = await partiesOfWish(platform, row, wish)
  if (!parties) return leaveFor(platform, one, 'the user who added it is not active')
  const { actor, found } = parties
  const commits = await prepareMerge(platform, found, actor, opened, { base, wish })
  if (!commits) return leaveFor(platform, one, 'it cannot be merged with what is before it')
  const { target: commit_sha, mergeCommit: merge_commit_sha, squashCommit: squash_commit_sha } = commits
  const columns = { base_sha: base, commit_sha, merge_commit_sha, squash_commit_sha }
  await platform.database.write((tx) => setCommit(tx, car.id, columns, now(platform.clock)))
}

/** Points `refs/merge-requests/<iid>/train` at the commit of a car. @returns false when the commit is not there any more */
async function writeRef(
  platform: Platform,
  { repository, row: stored }: OpenedRepository,
  { row }: OpenCar,
  commit: Oid,
) {
  const ref = refName(trainRef(row.iid))
  if (!ref) throw new Error(`merge request ${row.id} has no ref`)
  const update = { ref, old: null, new: commit }
  try {
    await outsideGate(platform, stored, () => repository.updateRefs([update]))
    return true
  } catch (error) {
    if (error instanceof GitError && error.code === 'object_missing') return false
    throw error
  }
}

/** Creates the pipeline of a commit, once. @returns its id, null without jobs; or why there is none */
async function pipelineOf(
  platform: Platform,
  one: OpenCar,
  commit: Oid,
): Promise<{ id: number | null } | { refused: string }> {
  const { car, row, wish } = one
  const parties = await partiesOfWish(platform, row, wish)
  if (!parties) return { refused: 'the user who added it is not active' }
  const { actor, found } = parties
  const ref = trainRef(row.iid)
  const branches = { source: row.source_branch, target: car.target_branch }
  const created = await createPipeline(platform, {
    ...{ project: found.project, actor, ref, source: requestSource },
    request: { branches, sha: commit, baseSha: car.base_sha, since: car.built_at ?? car.created_at },
  })
  if ('pipeline' in created) return { id: created.pipeline.id }
  if (created.reason === 'no_jobs' || created.reason === 'missing') return { id: null }
  if (created.reason !== 'exists') return { refused: `it got no pipeline (${created.refused.join(', ')})` }
  const head = { projectId: car.project_id, sha: commit, ref }
  const id = (await newestPipelines(platform.database.read, [head]))(head)?.id
  return id === undefined ? { refused: 'its pipeline is gone' } : { id }
}

/** Has the commit of a car tested: by its pipeline, or not at all where the configuration has no job for it. */
export async function startTest(
  platform: Platform,
  opened: OpenedRepository,
  one: OpenCar,
  commit: Oid,
): Promise<void> {
  const { car, row } = one
  if (!(await writeRef(platform, opened, one, commit))) return renewFrom(platform, car)
  const made = await pipelineOf(platform, one, commit)
  if ('refused' in made) return leaveFor(platform, one, made.refused)
  const { id } = made
  await platform.database.write(async (tx) => {
    if (await setPipeline(tx, car, id, now(platform.clock))) return
    // The car has left, or was renewed, or another process has done this.
    const current = await carOf(tx, row.id)
    if (id !== null && current?.pipeline_id !== id) await cancelPipeline(platform, tx, id)
  })
}
