import type { Actor } from '../../api/index.ts'
import { branchRef, isZeroOid, RefConflict, zeroOid } from '../../infra/git/index.ts'
import { enqueue, type Job, type Platform } from '../../platform/index.ts'
import {
  changeRefs,
  openRepositoryForWriting,
  RefRefused,
  RepositoryMoving,
  writerOf,
} from '../../platform/repositories/index.ts'
import { defaultBranchName, type Project, projectById } from '../projects/index.ts'
import { protectedBranchTest } from '../protected-branches/index.ts'

declare module '../../platform/platform.ts' {
  interface Questions {
    /** Which of these branches are the source or the target of open merge requests. */
    'branches.requested'(projectId: number, names: readonly string[]): Promise<ReadonlySet<string>>
  }
}

type Deletion = { projectId: number; userId: number | null }

/**
 * Deletes the unprotected branches that are merged into the default branch, unless they move meanwhile or have open merge
 * requests (contract 1.15).
 */
async function deleteMerged(platform: Platform, { projectId, userId }: Deletion): Promise<void> {
  const project = await projectById(platform.database.read, projectId)
  if (!project) return
  const { row, repository, snapshot } = await openRepositoryForWriting(platform, project)
  const defaultName = await defaultBranchName(platform, project)
  const base = snapshot.branch(defaultName)?.oid
  if (!base) return
  const candidates = snapshot.branches.filter(({ name, oid }) => name !== defaultName && oid !== base)
  const merged = await repository.mergedInto([...new Set(candidates.map(({ oid }) => oid))], base)
  const removable = candidates.filter(({ oid }) => merged.has(oid) && !isZeroOid(oid))
  const names = removable.map(({ name }) => name)
  const isProtected = await protectedBranchTest(platform, project, names)
  const requested = await platform.ports['branches.requested'](platform, projectId, names)
  for (const { name, oid } of removable) {
    const ref = branchRef(name)
    if (!ref || isProtected(name) || requested.has(name)) continue
    const change = { ref, old: oid, new: zeroOid(row.object_format) }
    await changeRefs(platform, row, [change], { userId, via: 'api' }).catch((error) => {
      if (error instanceof RefRefused && error.isMoving) throw new RepositoryMoving()
      if (!(error instanceof RefRefused || error instanceof RefConflict)) throw error
    })
  }
}

export const deleteMergedJob: Job<Deletion> = { kind: 'branches.delete_merged', run: deleteMerged }

/** Enqueues the job that deletes merged branches (contract 1.15). */
export async function deleteMergedLater(platform: Platform, project: Project, actor: Actor): Promise<void> {
  const payload = { projectId: project.id, userId: writerOf(actor).userId }
  const options = { uniqueKey: String(project.id) }
  await platform.database.write((tx) => enqueue(platform, tx, deleteMergedJob, payload, options))
}
