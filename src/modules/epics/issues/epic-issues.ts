import {
  type Actor,
  conflict,
  dayOf,
  failure,
  type Page,
  type PageRequest,
  recordNotFound,
} from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { holdIssue, issuesByIds, levelIn, presentIssues, readableAmong } from '../../issues/index.ts'
import type { Epic } from '../core/access.ts'
import { requireConfidential } from '../core/confidentiality.ts'
import { presentEpics } from '../core/load.ts'
import type { EpicIssueRow } from '../tables.ts'
import { assignIssue, epicIssue, epicIssuesOf, issueOrder, pageOfEpicIssues, unassignIssue } from './store.ts'

/** The issues of an answer to a change of the order: as many as a page has at most. */
const shownAfterMove = 100

/** Presents those of these issues that the caller can read. */
async function presentAll(platform: Platform, epic: Epic, rows: readonly EpicIssueRow[], actor: Actor) {
  const issues = await issuesByIds(
    platform.database.read,
    rows.map(({ issue_id }) => issue_id),
  )
  const readable = await readableAmong(platform, issues, actor, dayOf(platform.clock.now()))
  const options = { relativeTo: { groupPath: epic.group.full_path } }
  const presented = await presentIssues(
    platform,
    readable.map(({ row }) => row),
    actor,
    options,
  )
  const byId = new Map(presented.map((issue) => [issue.id, issue]))
  return rows.flatMap(({ id, issue_id, relative_position }) => {
    const issue = byId.get(issue_id)
    return issue ? [{ ...issue, epic_issue_id: id, relative_position }] : []
  })
}

/** The issues of an epic that the caller can read, in manual order (contract 17, x.epic_issue_list). */
export async function listEpicIssues(platform: Platform, epic: Epic, actor: Actor, page: PageRequest) {
  const { items, ...rest } = await pageOfEpicIssues(platform.database.read, epic.id, page)
  return { ...rest, items: await presentAll(platform, epic, items, actor) } satisfies Page<unknown>
}

async function presentLink(platform: Platform, { group, ...row }: Epic, link: EpicIssueRow, actor: Actor) {
  const issues = await issuesByIds(platform.database.read, [link.issue_id])
  const [issue] = await presentIssues(platform, issues, actor, { relativeTo: { groupPath: group.full_path } })
  const [epic] = await presentEpics(platform, [row], actor, { from: group.full_path })
  if (!issue || !epic) throw recordNotFound()
  return { id: link.id, epic, issue, relative_position: link.relative_position }
}

const noIssue = () => failure(404, 'No matching issue found. Make sure that you are adding a valid issue URL.')

/** An issue that the caller can read, of a project of any group or user in which the caller has a role. */
async function assignableIssue(platform: Platform, tx: Tx, issueId: number, actor: Actor) {
  const held = await holdIssue(tx, issueId)
  const [readable] = await readableAmong(platform, held ? [held] : [], actor, dayOf(platform.clock.now()))
  return readable && levelIn(actor, readable.project) >= role.guest ? readable.row : null
}

/** Assigns an issue to an epic, and takes it from another one (contract 17, x.epic_issue_add). @throws ApiError 404, 409, 422 */
export async function addEpicIssue(platform: Platform, epic: Epic, issueId: number, actor: Actor) {
  const link = await platform.database.write(async (tx) => {
    const issue = await assignableIssue(platform, tx, issueId, actor)
    if (!issue) throw noIssue()
    await requireConfidential(tx, epic.id, issue)
    return assignIssue(tx, epic.id, issueId)
  })
  if (!link) throw conflict('Issue(s) already assigned')
  return presentLink(platform, epic, link, actor)
}

/** The association with this id, whose issue the caller can read. @throws ApiError 404 */
async function readableLink(platform: Platform, epic: Epic, id: number, actor: Actor): Promise<EpicIssueRow> {
  const { read: db } = platform.database
  const link = await epicIssue(db, epic.id, id)
  const issues = link ? await issuesByIds(db, [link.issue_id]) : []
  const readable = await readableAmong(platform, issues, actor, dayOf(platform.clock.now()))
  if (!link || readable.length === 0) throw recordNotFound()
  return link
}

/** Takes an issue from an epic (contract 17, x.epic_issue_remove). @throws ApiError 404 */
export async function removeEpicIssue(platform: Platform, epic: Epic, id: number, actor: Actor) {
  const link = await readableLink(platform, epic, id, actor)
  const presented = await presentLink(platform, epic, link, actor)
  if (!(await platform.database.write((tx) => unassignIssue(tx, link.issue_id)))) throw recordNotFound()
  return presented
}

/** Where an issue goes: after one association, before another one, or both. */
type Places = { move_after_id?: number; move_before_id?: number }

/** Changes the order of the issues of an epic (contract 17, x.epic_issue_update). @throws ApiError 404 */
export async function moveEpicIssue(platform: Platform, epic: Epic, id: number, places: Places, actor: Actor) {
  const link = await readableLink(platform, epic, id, actor)
  const { move_after_id: after, move_before_id: before } = places
  for (const target of [after, before]) if (target !== undefined) await readableLink(platform, epic, target, actor)
  await platform.database.write(async (tx) => {
    const moved = { id: link.id, epicId: link.epic_id }
    if (after !== undefined && !(await issueOrder.moveBeside(tx, moved, after, 'after'))) throw recordNotFound()
    if (after === undefined && before !== undefined && !(await issueOrder.moveBeside(tx, moved, before, 'before'))) {
      throw recordNotFound()
    }
  })
  return presentAll(platform, epic, await epicIssuesOf(platform.database.read, epic.id, shownAfterMove), actor)
}
