import { type Actor, dayOf, failure, type PageRequest, recordNotFound, type Unmodified } from '../../api/index.ts'
import { hasTier } from '../../config.ts'
import { acquireLock, claim, now, type Reader, type Tx } from '../../infra/database/index.ts'
import type { Events, Platform, Ports, Reaction } from '../../platform/index.ts'
import {
  holdMergeRequest,
  type MergeRequestRow,
  mayUpdate,
  mergeIfMarked,
  mergeRequestById,
  mergeRequestByIid,
  mergeRequestsByIds,
  type ProjectMergeRequest,
  presentBasics,
  readableAmong,
} from '../merge-requests/index.ts'
import { visibleProject } from '../projects/index.ts'
import { isOfLongChain } from './chains.ts'
import * as store from './store.ts'
import type { BlockRow } from './tables.ts'

/** The refusal for callers who may not change a merge request (contract 26.5). */
export const notUpdatable = () => failure(403, 'Lacking permissions to update the merge request')

/** @throws ApiError 403 */
export function requireUpdate(actor: Actor, found: ProjectMergeRequest): void {
  if (!mayUpdate(actor, found)) throw notUpdatable()
}

/** Presents blocks with those of their merge requests that the caller may read. */
async function present(platform: Platform, actor: Actor, blocks: readonly BlockRow[]) {
  const ids = [...new Set(blocks.flatMap(({ blocking_id, blocked_id }) => [blocking_id, blocked_id]))]
  const rows = await mergeRequestsByIds(platform.database.read, ids)
  const projectOf = new Map(rows.map(({ id, project_id }) => [id, project_id]))
  const readable = await readableAmong(platform, actor, rows)
  const shown = new Map((await presentBasics(platform, readable, { kind: 'instance' })).map((one) => [one.id, one]))
  return blocks.map(({ id, blocking_id, blocked_id }) => {
    const [blocking, blocked] = [shown.get(blocking_id), shown.get(blocked_id)]
    return {
      id,
      ...(blocking && { blocking_merge_request: blocking }),
      ...(blocked && { blocked_merge_request: blocked }),
      project_id: projectOf.get(blocking_id) ?? 0,
    }
  })
}

async function presentOne(platform: Platform, actor: Actor, block: BlockRow) {
  const [presented] = await present(platform, actor, [block])
  return presented as NonNullable<typeof presented>
}

/** What blocks a merge request, or what it blocks (contract 26.5, x.mr_blocks, x.mr_blockees). @param end its own */
export async function listBlocks(
  platform: Platform,
  { row }: ProjectMergeRequest,
  actor: Actor,
  { end, page }: { end: store.End; page: PageRequest },
) {
  const found = await store.pageOfBlocks(platform.database.read, end, row.id, page)
  return { ...found, items: await present(platform, actor, found.items) }
}

/** @throws ApiError 404 (contract 26.5, x.mr_block_get) */
export async function getBlock(platform: Platform, { row }: ProjectMergeRequest, actor: Actor, id: number) {
  const block = await store.blockOf(platform.database.read, row.id, id)
  if (!block) throw recordNotFound()
  return presentOne(platform, actor, block)
}

/** Names the merge request that blocks: by its id, or by its number in a project. */
export type NamedBlocking = {
  blocking_merge_request_id?: number
  blocking_merge_request_iid?: number
  blocking_project_id?: string
}

/** @throws ApiError 404 when there is none; 403 when the caller may not read it */
async function requireBlocking(
  platform: Platform,
  { project }: ProjectMergeRequest,
  actor: Actor,
  { blocking_merge_request_id: id, blocking_merge_request_iid: iid = 0, blocking_project_id: place }: NamedBlocking,
): Promise<MergeRequestRow> {
  const db = platform.database.read
  const inProject = async () => {
    const other = place ? await visibleProject(db, place, actor, dayOf(platform.clock.now())) : project
    return other && mergeRequestByIid(db, other.id, iid)
  }
  const row = id === undefined ? await inProject() : await mergeRequestById(db, id)
  if (!row) throw failure(404, 'Blocking merge request not found')
  const [readable] = await readableAmong(platform, actor, [row])
  if (!readable) throw failure(403, 'Lacking permissions to the blocking merge request')
  return row
}

/** Locks two merge requests until the transaction ends. @throws ApiError 404 when one was deleted meanwhile */
async function holdBoth(tx: Tx, ...ids: number[]): Promise<void> {
  for (const id of ids.toSorted((one, other) => one - other)) {
    if (!(await holdMergeRequest(tx, id))) throw recordNotFound()
  }
}

/** Makes a merge request depend on another one (contract 26.5, x.mr_block_create). @throws ApiError 400, 403, 404, 409 */
export async function createBlock(platform: Platform, found: ProjectMergeRequest, actor: Actor, named: NamedBlocking) {
  requireUpdate(actor, found)
  const blocking = await requireBlocking(platform, found, actor, named)
  const [blockingId, blockedId] = [blocking.id, found.row.id]
  if (blockingId === blockedId) {
    throw failure(400, 'Blocked merge request cannot be the same as the blocking merge request')
  }
  const block = await platform.database.write(async (tx) => {
    // Two blocks that are made at once can close a circle together.
    await acquireLock(tx, 'merge_request_blocks')
    await holdBoth(tx, blockingId, blockedId)
    const there = await store.neighboursOf(tx, 'blocked_id', [blockedId])
    if (there.includes(blockingId)) throw failure(409, 'Block already exists')
    if (await isOfLongChain(tx, blockingId, blockedId)) throw failure(400, 'Dependency chains are not supported')
    return store.insertBlock(tx, { blocking_id: blockingId, blocked_id: blockedId, created_at: now(platform.clock) })
  })
  return presentOne(platform, actor, block)
}

/** Removes a dependency; a merge that waited for it may follow (contract 26.5, x.mr_block_delete). @throws ApiError 403, 404, 412 */
export async function deleteBlock(
  platform: Platform,
  { row }: ProjectMergeRequest,
  { id, unmodified }: { id: number; unmodified: Unmodified },
) {
  await platform.database.write(async (tx) => {
    const block = await claim(tx, 'merge_request_blocks', () => store.blockOf(tx, row.id, id))
    if (!block) throw recordNotFound()
    await store.removeBlock(tx, block.id, unmodified)
    await mergeIfMarked(platform, tx, row.id)
  })
}

/** Those of these merge requests that wait for another one to be merged (contract 26.5). */
export const blockedAmong: Ports['merge_requests.blocked'] = async (platform, db: Reader, ids) =>
  new Set(hasTier(platform.config.edition, 'premium') ? await store.blockedAmong(db, ids) : [])

type Removed = Reaction<Events['merge_request.merged']> & Reaction<Events['merge_request.removing']>

/** Has the requests merged that have waited for one which is merged or removed. */
export const mergeUnblocked: Removed = async (platform, tx, { mergeRequestId }) => {
  for (const id of await store.waitingFor(tx, mergeRequestId)) await mergeIfMarked(platform, tx, id)
}

/** The same for those that have waited for one of a project. */
export const mergeUnblockedByProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  for (const id of await store.waitingForProject(tx, projectId)) await mergeIfMarked(platform, tx, id)
}
