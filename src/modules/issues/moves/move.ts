import { type Actor, dayOf, failure, notFound, requireSignedIn, type UserActor } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  addNamingNotes,
  type ChangeOrigin,
  copyEvents,
  copyLabels,
  copyNoteReferences,
  copyTimes,
  recordIterationChange,
  recordMilestoneChange,
} from '../../issuables/index.ts'
import { copyNotes } from '../../notes/index.ts'
import { may, type Project, visibleProject } from '../../projects/index.ts'
import { type Issue, issuableOf, refOf } from '../core/access.ts'
import { holdIssue, updateIssueRow } from '../core/store.ts'
import { changeHeld, stateColumns } from '../core/update.ts'
import { presentIssue } from '../present/present.ts'
import type { IssueRow } from '../tables.ts'
import { assigneesThere, copyColumns, labelsThere, labelTitlesThere, milestoneThere, writeCopy } from './copy.ts'

const cannot = (what: 'move' | 'clone') => failure(400, `Cannot ${what} issue due to insufficient permissions!`)

/** The other project, if the caller plans in both. @throws ApiError 400, 404 Project */
async function requireTarget(
  platform: Platform,
  { row, project }: Issue,
  actor: UserActor,
  projectId: number,
  what: 'move' | 'clone',
): Promise<Project> {
  const today = dayOf(platform.clock.now())
  const target = await visibleProject(platform.database.read, String(projectId), actor, today)
  if (!target) throw notFound('Project')
  if (row.issue_type === 'test_case') throw failure(400, `Cannot ${what} issues of 'test_case' type.`)
  const plans = (found: Project) => may(actor, found, 'plan_issues')
  if (!plans(project) || !plans(target)) throw cannot(what)
  return target
}

/** The system notes by which two issues name each other. */
function mutualNotes([from, source]: [IssueRow, Project], [to, target]: [IssueRow, Project], verb: string) {
  const name = (row: IssueRow, project: Project) => `${project.full_path}#${row.iid}`
  return [
    { noteable: issuableOf(from), body: `${verb} to ${name(to, target)}`, names: refOf(to) },
    { noteable: issuableOf(to), body: `${verb} from ${name(from, source)}`, names: refOf(from) },
  ]
}

type Moving = {
  held: IssueRow
  issue: Issue
  target: Project
  assigneeIds: readonly number[]
  actor: Actor
  rewritten: (text: string) => string
}

/** Stores the issue in its new project with everything that it has, and closes the old one. */
async function carryOver(
  platform: Platform,
  tx: Tx,
  { held, issue, target, assigneeIds, actor, rewritten }: Moving,
  origin: ChangeOrigin,
): Promise<IssueRow> {
  const { project } = issue
  const blank = { ...held, weight: null, milestone_id: null, iteration_id: null }
  const from = { row: blank, project }
  const by = { actor, origin }
  const plan = { assigneeIds }
  const made = await copyColumns(platform, tx, { from, target, authorId: held.author_id, plan, rewritten }, by)
  const [here, there] = [refOf(held), refOf(made)]
  await copyLabels(tx, here, there, await labelsThere(tx, held, target), origin)
  await copyEvents(tx, here, there)
  await copyTimes(tx, here, there)
  await copyNoteReferences(tx, await copyNotes(tx, issuableOf(held), issuableOf(made), rewritten))
  const milestoneId = await milestoneThere(tx, held, target)
  await recordMilestoneChange(tx, [there], { from: held.milestone_id, to: milestoneId }, origin)
  await recordIterationChange(tx, [there], { from: held.iteration_id, to: null }, origin)
  const { weight, created_at } = held
  const moved = await updateIssueRow(tx, made.id, { weight, created_at, milestone_id: milestoneId })
  const closed = stateColumns(held, 'closed', origin)
  const change = { columns: { ...closed, moved_to_id: made.id } }
  await changeHeld(platform, tx, { row: held, project }, change, by)
  await addNamingNotes(tx, mutualNotes([held, project], [moved, target], 'moved'), origin)
  return moved
}

/**
 * Moves an issue to another project: a copy with notes, reactions, times and records; the old issue is closed (contract 16,
 * x.issue_move).
 * @throws ApiError 400, 404
 */
export async function moveIssue(platform: Platform, issue: Issue, caller: Actor, projectId: number) {
  const actor = requireSignedIn(caller)
  const target = await requireTarget(platform, issue, actor, projectId, 'move')
  if (target.id === issue.project.id) throw failure(400, 'Cannot move issue to project it originates from!')
  if (issue.row.moved_to_id !== null) throw cannot('move')
  const assigneeIds = await assigneesThere(platform, issue.row, target)
  const origin = { userId: actor.userId, at: now(platform.clock) }
  const row = await writeCopy(platform, { issue, target, withNotes: true }, async (tx, rewritten) => {
    const held = await holdIssue(tx, issue.row.id)
    if (!held) throw notFound('Issue')
    if (held.moved_to_id !== null) throw cannot('move')
    return carryOver(platform, tx, { held, issue, target, assigneeIds, actor, rewritten }, origin)
  })
  return presentIssue(platform, row, actor)
}

/**
 * Copies an issue into the same or another project, open and in the name of the caller (contract 16, x.issue_clone).
 * @throws ApiError 400, 404
 */
export async function cloneIssue(
  platform: Platform,
  issue: Issue,
  caller: Actor,
  { projectId, withNotes }: { projectId: number; withNotes: boolean },
) {
  const actor = requireSignedIn(caller)
  const target = await requireTarget(platform, issue, actor, projectId, 'clone')
  const assigneeIds = await assigneesThere(platform, issue.row, target)
  const origin = { userId: actor.userId, at: now(platform.clock) }
  const row = await writeCopy(platform, { issue, target, withNotes }, async (tx, rewritten) => {
    const held = await holdIssue(tx, issue.row.id)
    if (!held) throw notFound('Issue')
    const plan = { assigneeIds, labels: await labelTitlesThere(tx, held, target) }
    const copying = { from: { row: held, project: issue.project }, target, authorId: actor.userId, plan, rewritten }
    const made = await copyColumns(platform, tx, copying, { actor, origin })
    if (withNotes) {
      await copyNoteReferences(tx, await copyNotes(tx, issuableOf(held), issuableOf(made), rewritten))
    }
    await addNamingNotes(tx, mutualNotes([held, issue.project], [made, target], 'cloned'), origin)
    return made
  })
  return presentIssue(platform, row, actor)
}
