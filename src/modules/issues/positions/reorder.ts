import { type Actor, dayOf, failure, notFound } from '../../../api/index.ts'
import { acquireLock, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Issue, readableAmong } from '../core/access.ts'
import { issueById, issuesByIds } from '../core/store.ts'
import { presentIssue } from '../present/present.ts'
import { makeRoom, neighbourOf, place, positionOf, rootOf } from './store.ts'

/** The issues between which another one is moved. */
export type Neighbours = { move_after_id?: number; move_before_id?: number }

const unusable = () => failure(422, { error: 'Unprocessable Entity' })

/** @throws ApiError 422 unless the caller can read the issues, and they are below the same group at the top */
async function requireNeighbours(
  platform: Platform,
  issue: Issue,
  actor: Actor,
  ids: readonly number[],
): Promise<number> {
  const { read: db } = platform.database
  const rows = await issuesByIds(db, ids)
  const found = await readableAmong(platform, rows, actor, dayOf(platform.clock.now()))
  if (found.length < new Set(ids).size) throw unusable()
  const rootId = await rootOf(db, issue.project.namespace_id)
  for (const { project } of found) if ((await rootOf(db, project.namespace_id)) !== rootId) throw unusable()
  return rootId
}

type Gap = { after: number; before: number }

/** The positions between which the issue is to be placed; when both are named, the first decides if they are not in order. */
async function gapOf(
  db: Reader,
  id: number,
  { move_after_id: afterId, move_before_id: beforeId }: Neighbours,
): Promise<Gap> {
  const after = afterId === undefined ? null : await positionOf(db, afterId)
  const before = beforeId === undefined ? null : await positionOf(db, beforeId)
  if (after === null && before === null) throw unusable()
  if (after === null) {
    const end = before as number
    return { after: await neighbourOf(db, end, { towards: 'before', exceptId: id }), before: end }
  }
  if (before !== null && before > after) return { after, before }
  return { after, before: await neighbourOf(db, after, { towards: 'after', exceptId: id }) }
}

const between = ({ after, before }: Gap) => (after + before) / 2
const isRoom = (gap: Gap) => between(gap) > gap.after && between(gap) < gap.before

async function move(tx: Tx, id: number, neighbours: Neighbours, rootId: number): Promise<void> {
  let gap = await gapOf(tx, id, neighbours)
  if (!isRoom(gap)) {
    await makeRoom(tx, rootId, gap.after)
    gap = { ...gap, after: gap.after - 1024 }
  }
  await place(tx, id, between(gap))
}

/**
 * Changes the place of an issue in the manual order: after one issue, before another one, or between both (contract 16,
 * x.issue_reorder).
 * @throws ApiError 404 Issue, 422
 */
export async function reorderIssue(platform: Platform, issue: Issue, actor: Actor, neighbours: Neighbours) {
  // The parameters of the request hold those of its path, too.
  const ids = [neighbours.move_after_id, neighbours.move_before_id].filter((id) => id !== undefined)
  const { id } = issue.row
  if (ids.includes(id)) throw unusable()
  const rootId = await requireNeighbours(platform, issue, actor, ids)
  const row = await platform.database.write(async (tx) => {
    await acquireLock(tx, `issue-positions:${rootId}`)
    await move(tx, id, neighbours, rootId)
    return issueById(tx, id)
  })
  if (!row) throw notFound('Issue')
  return presentIssue(platform, row, actor)
}
