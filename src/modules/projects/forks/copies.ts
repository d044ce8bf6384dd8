import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, diskPath, type Git, type Repository } from '../../../infra/git/index.ts'
import type { Jobs } from '../../../infra/jobs/index.ts'
import {
  finishCopy,
  type Repositories,
  type RepositoryRow,
  repositoryOfProject,
  setReadOnly,
} from '../../repositories/index.ts'
import { projectById, updateProject } from '../core/store.ts'
import { findReadme } from '../refs/readme.ts'
import type { ProjectRow } from '../tables.ts'

export type ForkCopiesNeeds = {
  database: Database
  clock: Clock
  jobs: Jobs
  git: Git
  repositories: Repositories
  /** Finds out how the default branch is to be protected; what it returns writes that down. */
  protectDefaultBranch?(projectId: number): Promise<(tx: Tx) => Promise<void>>
}

/** Fills the repositories of forks (contract 21, x.projects_fork: `import_status`). */
export type ForkCopies = ReturnType<typeof createForkCopies>

/** Where the copy goes is written down too: it has to be found when the rows have gone meanwhile. */
type Payload = { projectId: number; sourceId: number; branch: string | null; storage: string; diskPath: string }

const copyJob = 'projects.copy_fork'
const maxAttempts = 4
const copyFailed = 'The repository of the source project could not be copied'

const isUnderWay = ({ import_status: status }: ProjectRow) => status === 'scheduled' || status === 'started'

export function createForkCopies(needs: ForkCopiesNeeds) {
  const { database, clock, jobs, git, repositories } = needs
  const db = database.read

  function targetOf({ storage, diskPath: place }: Payload): Repository {
    const path = diskPath(place)
    if (path === null) throw new Error(`no legal place: ${place}`)
    return git.repository({ storage, diskPath: path })
  }

  async function setStatus(id: number, import_status: ProjectRow['import_status'], import_error: string | null) {
    await database.write((tx) => updateProject(tx, id, { import_status, import_error, updated_at: now(clock) }))
  }

  /** The repository that is to be copied; null when the source has gone. */
  async function sourceOf({ sourceId }: Payload): Promise<RepositoryRow | null> {
    const source = await projectById(db, sourceId)
    return source && !source.pending_delete ? repositoryOfProject(db, source.id) : null
  }

  /** Nobody writes to the repository of a fork before the copy has come: whatever is at its place may be taken away. */
  async function copy(source: RepositoryRow, payload: Payload, signal: AbortSignal): Promise<void> {
    const target = targetOf(payload)
    await target.remove()
    const branch = payload.branch === null ? null : branchRef(payload.branch)
    await target.copyFrom(await repositories.open(source), { signal, ...(branch ? { branch } : {}) })
  }

  /** The branch that the copy's HEAD is to name: the planned one, or the first when that is not there. */
  async function headOf(fork: ProjectRow, target: Repository) {
    const snapshot = await target.refs(`copied-${fork.id}`)
    const planned = fork.default_branch === null ? null : snapshot.branch(fork.default_branch)
    return planned ?? snapshot.branches[0] ?? null
  }

  async function finish(fork: ProjectRow, row: RepositoryRow, target: Repository): Promise<void> {
    const head = await headOf(fork, target)
    const ref = head && branchRef(head.name)
    if (ref) await target.setHead(ref)
    const readme = head ? await findReadme(target, head.oid) : null
    const sizes = { sizeBytes: await target.sizeBytes(), commitCount: await target.commitCount() }
    const protect = head && (await needs.protectDefaultBranch?.(fork.id))
    const isThere = await database.write(async (tx) => {
      if (!(await finishCopy(tx, row.id, sizes))) return false
      const found = head ? { default_branch: head.name, readme_path: readme } : {}
      const moment = now(clock)
      const done = { import_status: 'finished' as const, import_error: null }
      await updateProject(tx, fork.id, { ...found, ...done, last_activity_at: moment, updated_at: moment })
      await protect?.(tx)
      return true
    })
    if (!isThere) await target.remove()
  }

  /** A fork without its history is a project like any other: empty, and open to pushes. */
  async function giveUp(fork: ProjectRow, row: RepositoryRow, target: Repository): Promise<void> {
    const head = branchRef(fork.default_branch ?? 'main')
    await target.remove()
    if (head) await target.init({ defaultBranch: head, objectFormat: row.object_format })
    const isThere = await database.write(async (tx) => {
      await setReadOnly(tx, row.id, false)
      const failed = { import_status: 'failed' as const, import_error: copyFailed }
      return (await updateProject(tx, fork.id, { ...failed, updated_at: now(clock) })) !== null
    })
    if (!isThere) await target.remove()
  }

  async function run(payload: Payload, { signal, attempt }: { signal: AbortSignal; attempt: number }): Promise<void> {
    const fork = await projectById(db, payload.projectId)
    const row = fork && (await repositoryOfProject(db, fork.id))
    const target = targetOf(payload)
    if (!fork || !row) return target.remove()
    if (!isUnderWay(fork)) return
    await setStatus(fork.id, 'started', null)
    try {
      const source = await sourceOf(payload)
      if (!source) return await giveUp(fork, row, target)
      await copy(source, payload, signal)
      await finish(fork, row, target)
    } catch (error) {
      // Whoever takes the job next begins anew.
      if (signal.aborted) throw error
      if (!(await sourceOf(payload))) return giveUp(fork, row, target)
      if (attempt >= maxAttempts) await giveUp(fork, row, target)
      throw error
    }
  }

  jobs.define<Payload>({ kind: copyJob, queue: 'imports', maxAttempts, run })

  return {
    /** Stores the job that fills the repository of a fork, in the transaction that makes the fork. */
    async schedule(tx: Tx, projectId: number, from: { sourceId: number; branch?: string | undefined }): Promise<void> {
      const row = await repositoryOfProject(tx, projectId)
      if (!row) throw new Error(`project ${projectId} has no repository`)
      await setReadOnly(tx, row.id, true)
      const { sourceId, branch = null } = from
      const payload: Payload = { projectId, sourceId, branch, storage: row.storage, diskPath: row.disk_path }
      await jobs.enqueue(tx, copyJob, payload, { uniqueKey: String(projectId) })
    },
  }
}
