import { type Actor, forbidden, recordNotFound, refuse, requireSignedIn, type Unmodified } from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { openRepositoryForWriting, outsideGate } from '../../../platform/repositories/index.ts'
import {
  type ChangeOrigin,
  deleteIssuable,
  followDescription,
  isPlanned,
  issuableTextProblems,
  keptMilestone,
  milestoneIn,
  recordStateChange,
  savedChange,
} from '../../issuables/index.ts'
import { markTodosDone } from '../../notes/index.ts'
import { may } from '../../projects/index.ts'
import { recordClosings } from '../closing/closing.ts'
import { currentHeads, releaseHead } from '../heads/heads.ts'
import { type Observation, observe, recordObservation } from '../heads/observe.ts'
import { isAuthor, issuableOf, type ProjectMergeRequest } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { isDraft } from './drafts.ts'
import type { ChangedMergeRequest } from './params.ts'
import { carryOut, isPlanner, type Plan, peopleIn } from './plan.ts'
import { presentSingle, upToDate } from './single.ts'
import { deleteMergeRequest, holdMergeRequest, mergeRequestById, openRequestOf, updateMergeRequest } from './store.ts'
import { alreadyOpen, branchProblems, requireDifferent } from './validation.ts'

/** Whether the caller may change a merge request: developers, and its author as a reporter (contract 19, "Permissions"). */
export function mayUpdate(actor: Actor, { project, row }: ProjectMergeRequest): boolean {
  if (!may(actor, project, 'update_merge_requests')) return false
  return isPlanner(actor, project) || isAuthor(actor, row)
}

/** @throws ApiError 403 */
export function requireUpdate(actor: Actor, found: ProjectMergeRequest): void {
  if (!mayUpdate(actor, found)) throw forbidden()
}

const planning = [
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'assignee_id',
  'assignee_ids',
  'reviewer_ids',
] as const

/** @throws ApiError 403 for callers who may not change the merge request, or whose plans would not be heard */
export function requireHeard(actor: Actor, found: ProjectMergeRequest, params: Partial<ChangedMergeRequest>): void {
  requireUpdate(actor, found)
  const plans = planning.some((name) => params[name] !== undefined)
  if (plans && !isPlanner(actor, found.project)) throw forbidden()
}

/** The columns that a request changes, without its state. */
function columnsOf(params: ChangedMergeRequest, milestoneId: number | null | undefined) {
  const { title, description, squash, discussion_locked, merge_after, remove_source_branch, target_branch } = params
  return {
    ...(title !== undefined && { title, draft: isDraft(title) }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(squash !== undefined && { squash }),
    ...(discussion_locked !== undefined && { discussion_locked }),
    ...(merge_after !== undefined && { merge_after }),
    ...(remove_source_branch !== undefined && { force_remove_source_branch: remove_source_branch }),
    ...(target_branch !== undefined && { target_branch }),
    ...(milestoneId !== undefined && { milestone_id: milestoneId }),
  }
}

/** The columns of a new state; none when the event does not apply (contract 19, "Rules and state machines"). */
function stateColumns(row: MergeRequestRow, event: ChangedMergeRequest['state_event'], { userId, at }: ChangeOrigin) {
  if (event === 'close' && row.state === 'opened') {
    return { state: 'closed', closed_by_id: userId, closed_at: at, auto_merge: null } as const
  }
  if (event === 'reopen' && row.state === 'closed')
    return { state: 'opened', closed_by_id: null, closed_at: null } as const
  return {}
}

type Change = {
  found: ProjectMergeRequest
  params: ChangedMergeRequest
  milestoneId: number | null | undefined
  plan: Plan
  origin: ChangeOrigin
}

async function recordState(
  platform: Platform,
  tx: Tx,
  before: MergeRequestRow,
  after: MergeRequestRow,
  origin: ChangeOrigin,
) {
  if (before.state === after.state) return
  const state = after.state === 'closed' ? 'closed' : 'reopened'
  await recordStateChange(tx, [issuableOf(after)], { state }, origin)
  if (state === 'closed') await markTodosDone(platform, tx, issuableOf(after), origin.userId)
}

function differs(row: MergeRequestRow, columns: Partial<MergeRequestRow>): boolean {
  return Object.entries(columns).some(([name, value]) => row[name as keyof MergeRequestRow] !== value)
}

/** @returns the row after the change, and whether its branches have to be compared again */
async function change(platform: Platform, tx: Tx, { found, params, milestoneId, plan, origin }: Change) {
  const before = await holdMergeRequest(tx, found.row.id)
  if (!before) return null
  const milestone = milestoneId === before.milestone_id ? milestoneId : await keptMilestone(tx, milestoneId)
  const columns = { ...columnsOf(params, milestone), ...stateColumns(before, params.state_event, origin) }
  const isChanged = differs(before, columns)
  const row = isChanged ? await updateMergeRequest(tx, before.id, { ...columns, updated_at: origin.at }) : before
  const planned = await carryOut(platform, tx, { before, row, project: found.project, plan, origin })
  await recordState(platform, tx, before, row, origin)
  const hasOtherText = before.title !== row.title || before.description !== row.description
  if (hasOtherText) await followDescription(platform, tx, issuableOf(row), origin)
  const edited = { mergeRequestId: row.id, userId: origin.userId }
  if (isChanged) await react(platform, tx, 'merge_request.edited', edited)
  if (isChanged || isPlanned(planned)) {
    const after = isChanged ? row : await updateMergeRequest(tx, row.id, { updated_at: origin.at })
    const saved = { ...edited, projectId: row.project_id, ...savedChange(before, after, planned) }
    await react(platform, tx, 'merge_request.saved', saved)
  }
  return { before, row }
}

/** Compares an open merge request with its branches after it got another target or was opened again. */
async function observeAfter(
  platform: Platform,
  { project }: ProjectMergeRequest,
  before: MergeRequestRow,
  row: MergeRequestRow,
  userId: number,
) {
  const renews = before.target_branch !== row.target_branch
  if (row.state !== 'opened' || (!renews && before.state === row.state)) return
  const { repository, row: stored } = await openRepositoryForWriting(platform, project)
  const guard = (change: () => Promise<void>) => outsideGate(platform, stored, change)
  const heads = await currentHeads(repository, row)
  const seen: Observation | null = await observe(repository, row, heads, { renews, guard })
  if (seen) await platform.database.write((tx) => recordObservation(platform, tx, project, seen, userId))
}

/** @throws ApiError 400 for texts and a target branch that does not exist; 422 for the source as the target */
async function requireSound(platform: Platform, { project, row }: ProjectMergeRequest, params: ChangedMergeRequest) {
  const { target_branch } = params
  if (target_branch === undefined) return refuse(issuableTextProblems(params))
  requireDifferent(row.source_branch, target_branch)
  const { snapshot } = await openRepositoryForWriting(platform, project)
  refuse({ ...branchProblems(snapshot, { target_branch }), ...issuableTextProblems(params) })
}

/**
 * Changes, closes or reopens a merge request (contract 19, x.mr_update). One that is merged keeps its state.
 * @throws ApiError 400, 403, 409, 422
 */
export async function changeMergeRequest(
  platform: Platform,
  found: ProjectMergeRequest,
  caller: Actor,
  params: ChangedMergeRequest,
) {
  requireUpdate(caller, found)
  const { userId } = requireSignedIn(caller)
  await requireSound(platform, found, params)
  const { project, row } = found
  const plans = isPlanner(caller, project)
  const { labels, add_labels, remove_labels } = params
  const [milestoneId, people] = await Promise.all([
    plans ? milestoneIn(platform.database.read, project, params.milestone_id) : undefined,
    plans ? peopleIn(platform, project, params) : {},
  ])
  const plan = { ...people, ...(plans && { labels, add_labels, remove_labels }) }
  const origin = { userId, at: now(platform.clock) }
  const changed = await platform.database
    .write((tx) => change(platform, tx, { found, params, milestoneId, plan, origin }))
    .catch(async (error: unknown) => {
      if (!isUniqueViolation(error, 'merge_requests_branches_unique')) throw error
      const target = params.target_branch ?? row.target_branch
      const other = await openRequestOf(platform.database.read, project.id, row.source_branch, target)
      throw other ? alreadyOpen(other) : error
    })
  if (changed) {
    await observeAfter(platform, found, changed.before, changed.row, userId)
    await recordClosings(platform, row.id)
  }
  const after = await upToDate(platform, { project, row: changed?.row ?? row })
  return presentSingle(platform, { project, row: after }, caller)
}

/** Deletes a merge request; its branches stay (contract 19, x.mr_delete). @throws ApiError 412 */
export async function removeMergeRequest(
  platform: Platform,
  { project, row }: ProjectMergeRequest,
  unmodified: Unmodified,
) {
  // Before the rows are deleted: it refuses while the repository is moved to another storage.
  const { repository, row: stored } = await openRepositoryForWriting(platform, project)
  await platform.database.write(async (tx) => {
    const held = await claim(tx, 'merge_requests', () => mergeRequestById(tx, row.id))
    if (!held) throw recordNotFound()
    unmodified(held.updated_at)
    await react(platform, tx, 'merge_request.removing', { mergeRequestId: row.id })
    await deleteIssuable(tx, issuableOf(held))
    await deleteMergeRequest(tx, row.id)
  })
  await outsideGate(platform, stored, () => releaseHead(repository, row.iid, stored.object_format))
}
