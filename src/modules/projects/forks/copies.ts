import { now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, diskPath, type Repository } from '../../../infra/git/index.ts'
import { enqueue, type Job, type Platform, react } from '../../../platform/index.ts'
import {
  deferWhileAway,
  finishCopy,
  openRow,
  type RepositoryRow,
  repositoryOfProject,
  setReadOnly,
} from '../../../platform/repositories/index.ts'
import { projectById, updateProject } from '../core/store.ts'
import { publish } from '../imports/imports.ts'
import type { ProjectRow } from '../tables.ts'

/** It names the directory of the copy, which must be found even when the rows were deleted meanwhile. */
type Copy = { projectId: number; sourceId: number; branch: string | null; storage: string; diskPath: string }

const maxAttempts = 4
const copyFailed = 'The repository of the source project could not be copied'

const isUnderWay = ({ import_status: status }: ProjectRow) => status === 'scheduled' || status === 'started'

function targetOf({ git }: Platform, { storage, diskPath: text }: Copy): Repository {
  const path = diskPath(text)
  if (path === null) throw new Error(`invalid disk path: ${text}`)
  return git.repository({ storage, diskPath: path })
}

/** The repository to copy; null when the source was deleted. */
async function sourceOf({ database }: Platform, { sourceId }: Copy): Promise<RepositoryRow | null> {
  const source = await projectById(database.read, sourceId)
  return source && !source.pending_delete ? repositoryOfProject(database.read, source.id) : null
}

/** Copies the source. A fork is read-only until then, so whatever its directory contains can be deleted. */
async function copy(platform: Platform, source: RepositoryRow, job: Copy, signal: AbortSignal): Promise<void> {
  const target = targetOf(platform, job)
  await target.remove()
  const branch = job.branch === null ? null : branchRef(job.branch)
  await target.copyFrom(await openRow(platform, source), { signal, ...(branch ? { branch } : {}) })
}

/** The branch that HEAD of the copy names: the planned one, or the first when that does not exist. */
async function headOf(fork: ProjectRow, target: Repository) {
  const snapshot = await target.refs(`copied-${fork.id}`)
  const planned = fork.default_branch === null ? null : snapshot.branch(fork.default_branch)
  return planned ?? snapshot.branches[0] ?? null
}

async function finish(platform: Platform, fork: ProjectRow, row: RepositoryRow, target: Repository): Promise<void> {
  const sizes = { sizeBytes: await target.sizeBytes(), commitCount: await target.commitCount() }
  const head = await headOf(fork, target)
  const exists = await publish(platform, fork, target, head, async (tx) => {
    await react(platform, tx, 'repository.changed', { repositoryId: row.id })
    return finishCopy(tx, row, sizes)
  })
  if (!exists) await target.remove()
}

/** Leaves an empty repository that accepts pushes. */
async function giveUp(
  { database, clock }: Platform,
  fork: ProjectRow,
  row: RepositoryRow,
  target: Repository,
): Promise<void> {
  const head = branchRef(fork.default_branch ?? 'main')
  await target.remove()
  if (head) await target.init({ defaultBranch: head, objectFormat: row.object_format })
  const exists = await database.write(async (tx) => {
    await setReadOnly(tx, row.id, false)
    const failed = { import_status: 'failed' as const, import_error: copyFailed }
    return (await updateProject(tx, fork.id, { ...failed, updated_at: now(clock) })) !== null
  })
  if (!exists) await target.remove()
}

/** Copies the repository of the source into a fork (contract 21, x.projects_fork: `import_status`). */
export const copyForkJob: Job<Copy> = {
  kind: 'projects.copy_fork',
  queue: 'imports',
  maxAttempts,
  async run(platform, job, { signal, attempt }) {
    const { database, clock } = platform
    const fork = await projectById(database.read, job.projectId)
    const row = fork && (await repositoryOfProject(database.read, fork.id))
    const target = targetOf(platform, job)
    if (!fork || !row) return target.remove()
    if (!isUnderWay(fork)) return
    await deferWhileAway(platform, job.storage)
    const started = { import_status: 'started' as const, import_error: null, updated_at: now(clock) }
    await database.write((tx) => updateProject(tx, fork.id, started))
    try {
      const source = await sourceOf(platform, job)
      if (!source) return await giveUp(platform, fork, row, target)
      await copy(platform, source, job, signal)
      await finish(platform, fork, row, target)
    } catch (error) {
      // The next run starts from the beginning.
      if (signal.aborted) throw error
      if (!(await sourceOf(platform, job))) return giveUp(platform, fork, row, target)
      if (attempt >= maxAttempts) await giveUp(platform, fork, row, target)
      throw error
    }
  },
}

/** Enqueues the copy, and makes the repository of the fork read-only until then. */
export async function copyLater(
  platform: Platform,
  tx: Tx,
  projectId: number,
  { sourceId, branch = null }: { sourceId: number; branch?: string | null | undefined },
): Promise<void> {
  const row = await repositoryOfProject(tx, projectId)
  if (!row) throw new Error(`project ${projectId} has no repository`)
  await setReadOnly(tx, row.id, true)
  const job = { projectId, sourceId, branch, storage: row.storage, diskPath: row.disk_path }
  await enqueue(platform, tx, copyForkJob, job, { uniqueKey: String(projectId) })
}
