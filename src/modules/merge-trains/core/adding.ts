import { type Actor, badRequest, forbidden, recordNotFound, requireSignedIn } from '../../../api/index.ts'
import { jsonText, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type AutoMerge,
  detailedStatus,
  endWish,
  holdMergeRequest,
  issuableOf,
  isUnfinished,
  type MergeRequestRow,
  mergeRequestByIid,
  type ProjectMergeRequest,
  partiesOfWish,
  requireHead,
  requireMerger,
  statusFacts,
  updateMergeRequest,
  upToDate,
} from '../../merge-requests/index.ts'
import { addSystemNote } from '../../notes/index.ts'
import { type Project, settingOf } from '../../projects/index.ts'
import { mayMerge } from '../../protected-branches/index.ts'
import { runTrain } from '../running/queue.ts'
import { insertCar } from '../store.ts'
import { presentTrain } from './cars.ts'
import { hasTrains } from './subject.ts'

type Wishes = {
  merge_request_iid: number
  sha?: string
  squash?: boolean
  auto_merge?: boolean
  when_pipeline_succeeds?: boolean
}

const alreadySet = () => badRequest('Merge request is already set to Auto-Merge')
const cannotEnter = () => badRequest('Failed to merge')

/** Whether nothing stands against a merge now, and whether the pipeline of the head may still succeed. */
async function standingOf(platform: Platform, { project, row }: ProjectMergeRequest) {
  const facts = (await statusFacts(platform, new Map([[project.id, project]]), [row]))(row)
  const { pipeline } = facts
  return {
    isMergeable: detailedStatus(row, facts) === 'mergeable',
    isTesting: pipeline !== undefined && isUnfinished(pipeline),
  }
}

/** Puts a merge request, whose row is locked, at the end of the train of its target branch. */
async function enter(platform: Platform, tx: Tx, row: MergeRequestRow, wish: AutoMerge): Promise<void> {
  const at = now(platform.clock)
  const { project_id, target_branch } = row
  await updateMergeRequest(tx, row.id, { auto_merge: jsonText({ ...wish, train: 'entered' } satisfies AutoMerge) })
  const times = { created_at: at, updated_at: at }
  await insertCar(tx, { project_id, merge_request_id: row.id, user_id: wish.userId, target_branch, ...times })
  const body = `added this merge request to the merge train of \`${target_branch}\``
  await addSystemNote(tx, issuableOf(row), body, { userId: wish.userId, at })
  await runTrain(platform, tx, row)
}

/** Has a merge request enter the train when its checks have passed. */
async function wait(platform: Platform, tx: Tx, row: MergeRequestRow, wish: AutoMerge): Promise<void> {
  await updateMergeRequest(tx, row.id, { auto_merge: jsonText({ ...wish, train: 'waiting' } satisfies AutoMerge) })
  const body = 'set this merge request to be added to the merge train when its checks have passed'
  await addSystemNote(tx, issuableOf(row), body, { userId: wish.userId, at: now(platform.clock) })
}

/** Whether a locked row is still what was looked at. */
const isSame = (held: MergeRequestRow | null, row: MergeRequestRow): held is MergeRequestRow =>
  held?.state === 'opened' && held.sha === row.sha && held.target_branch === row.target_branch

/**
 * Adds a merge request to the merge train of its target branch, or has it added when its checks have passed (contract 26,
 * x.merge_train_add).
 * @returns the train, and whether the request waits
 * @throws ApiError 400, 401, 403, 404, 409
 */
export async function addToTrain(platform: Platform, project: Project, actor: Actor, wishes: Wishes) {
  const { merge_request_iid: iid, sha, squash, auto_merge: mayWait = wishes.when_pipeline_succeeds ?? false } = wishes
  if (squash && settingOf(project, 'merge_method') !== 'merge') throw forbidden()
  const asked = await mergeRequestByIid(platform.database.read, project.id, iid)
  if (!asked) throw recordNotFound()
  const row = await upToDate(platform, { project, row: asked })
  requireHead(row, sha)
  await requireMerger(platform, { project, row }, actor)
  if (row.auto_merge) throw alreadySet()
  if (row.state !== 'opened') throw cannotEnter()
  const { isMergeable, isTesting } = await standingOf(platform, { project, row })
  if (!isMergeable && !mayWait) throw cannotEnter()
  const isWaiting = mayWait && (isTesting || !isMergeable)
  const wish: AutoMerge = {
    ...{ userId: requireSignedIn(actor).userId, sha: row.sha, squash: squash ?? null },
    ...{ mergeCommitMessage: null, squashCommitMessage: null },
  }
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, row.id)
    if (held?.auto_merge) throw alreadySet()
    if (!isSame(held, row)) throw cannotEnter()
    await (isWaiting ? wait : enter)(platform, tx, held, wish)
  })
  return { isWaiting, cars: await presentTrain(platform, project, actor, row.target_branch) }
}

/** Has a waiting merge request enter its train when its checks have passed. */
async function enterWhenReady(platform: Platform, asked: MergeRequestRow, wish: AutoMerge): Promise<void> {
  const parties = await partiesOfWish(platform, asked, wish)
  if (!parties) return endWish(platform, asked.id, 'The user who asked for the merge train is not active.')
  const { actor, found } = parties
  if (!hasTrains(platform, found.project)) return endWish(platform, asked.id, 'The project has no merge trains.')
  const row = await upToDate(platform, found)
  if (!(await mayMerge(platform, found.project, actor, row.target_branch))) {
    return endWish(platform, row.id, 'The user who asked for the merge train may not merge.')
  }
  const { isMergeable, isTesting } = await standingOf(platform, { ...found, row })
  if (!isMergeable || isTesting) return
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, row.id)
    const isStillAsked = held?.auto_merge?.train === 'waiting' && held.auto_merge.userId === wish.userId
    if (isStillAsked && isSame(held, row)) await enter(platform, tx, held, wish)
  })
}

/** Does what a wish for a merge train asks for now: the request enters its train, or the train is looked at. */
export async function followTrain(platform: Platform, row: MergeRequestRow, wish: AutoMerge): Promise<void> {
  if (wish.train === 'waiting') await enterWhenReady(platform, row, wish)
  else await platform.database.write((tx) => runTrain(platform, tx, row))
}
