import { isUniqueViolation } from '../../../infra/database/index.ts'
import { branchRef, type Oid, RefConflict, zeroOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  changeRefs,
  type OpenedRepository,
  openRepositoryForWriting,
  outsideGate,
  RefRefused,
  RepositoryMoving,
} from '../../../platform/repositories/index.ts'
import { addSystemNote } from '../../notes/index.ts'
import { defaultBranchName, type ProjectRow } from '../../projects/index.ts'
import { protectedBranchTest } from '../../protected-branches/index.ts'
import { mergeRequestById, updateMergeRequest } from '../core/store.ts'
import { currentHeads } from '../heads/heads.ts'
import { observe, recordObservation } from '../heads/observe.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { endMerge, openRequestsInto } from './store.ts'

/** Requests that are retargeted when their target branch is deleted (contract 19, "Push to the source branch"). */
const mostRetargeted = 4

/** Whether the merge deletes the source branch: wished for, not protected, and not the default branch. */
async function removesSource(platform: Platform, project: ProjectRow, row: MergeRequestRow): Promise<boolean> {
  const { source_branch: name } = row
  if (!(row.should_remove_source_branch ?? row.force_remove_source_branch)) return false
  if (name === (await defaultBranchName(platform, project))) return false
  return !(await protectedBranchTest(platform, project, [name]))(name)
}

/** What became of a source branch that was to be deleted. `locked`: another writer holds its lock, or a killed one has left it. */
type Removal = 'gone' | 'kept' | 'locked'

/** Deletes the source branch in the name of the merger, unless it has moved on. */
async function removeSource(platform: Platform, opened: OpenedRepository, row: MergeRequestRow): Promise<Removal> {
  const ref = branchRef(row.source_branch)
  if (!ref || !row.merging) return 'kept'
  const { userId, administrator } = row.merging
  const change = { ref, old: row.sha as Oid, new: zeroOid(opened.row.object_format) }
  try {
    await changeRefs(platform, opened.row, [change], { userId, via: 'api', administrator })
    return 'gone'
  } catch (error) {
    if (error instanceof RefRefused && error.isMoving) throw new RepositoryMoving()
    if (error instanceof RefRefused) return 'kept'
    if (!(error instanceof RefConflict)) throw error
    if (error.reason === 'locked') return 'locked'
    // Another process may have done the same, or may have been killed behind it.
    return (await opened.repository.tips([ref]))[0] === null ? 'gone' : 'kept'
  }
}

async function retarget(
  platform: Platform,
  project: ProjectRow,
  opened: OpenedRepository,
  one: MergeRequestRow,
  merged: MergeRequestRow,
) {
  if (one.source_branch === merged.target_branch) return
  const moved = { ...one, target_branch: merged.target_branch }
  const guard = (change: () => Promise<void>) => outsideGate(platform, opened.row, change)
  const heads = await currentHeads(opened.repository, moved)
  const seen = await observe(opened.repository, moved, heads, { renews: true, guard })
  const userId = merged.merging?.userId ?? merged.author_id
  await platform.database
    .write(async (tx) => {
      await updateMergeRequest(tx, one.id, { target_branch: merged.target_branch })
      if (seen) await recordObservation(platform, tx, project, seen, userId)
      const body = `changed target branch from \`${one.target_branch}\` to \`${merged.target_branch}\``
      await addSystemNote(tx, issuableOf(one), body, { userId, at: platform.clock.now().toISOString() })
    })
    .catch((error: unknown) => {
      // Another open request has these branches already.
      if (!isUniqueViolation(error, 'merge_requests_branches_unique')) throw error
    })
}

/**
 * Does what is left after a merge: deletes the source branch where that is wished for, and gives the requests into that branch
 * the target of the merged one. May run again; while the branch is locked, the merge is not over, and this is done later (`recovery.ts`).
 */
export async function cleanUp(platform: Platform, project: ProjectRow, id: number): Promise<void> {
  const row = await mergeRequestById(platform.database.read, id)
  if (row?.state !== 'merged' || !row.merging) return
  if (await removesSource(platform, project, row)) {
    const opened = await openRepositoryForWriting(platform, project)
    const removal = await removeSource(platform, opened, row)
    if (removal === 'locked') return
    if (removal === 'gone') {
      const into = await openRequestsInto(platform.database.read, project.id, row.source_branch, mostRetargeted)
      for (const one of into) await retarget(platform, project, opened, one, row)
    }
  }
  await platform.database.write((tx) => endMerge(tx, id))
}
