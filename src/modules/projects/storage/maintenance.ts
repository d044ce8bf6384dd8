import { conflict, forbidden, notFound } from '../../../api/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import {
  measureRepository,
  packRepository,
  type RepositoryRow,
  repositoryOfProject,
} from '../../../platform/repositories/index.ts'
import type { ProjectRow } from '../tables.ts'

const alreadyTriggered = 'Somebody already triggered housekeeping for this resource in the past 1440 minutes'

async function repositoryOf({ database }: Platform, projectId: number): Promise<RepositoryRow> {
  const row = await repositoryOfProject(database.read, projectId)
  if (!row) throw notFound('Repository')
  return row
}

/** Packs the repository of a project. It is not retried: while a retry waits, the user could not start another one. */
export const housekeepingJob: Job<{ projectId: number }> = {
  kind: 'projects.housekeeping',
  queue: 'maintenance',
  maxAttempts: 1,
  async run(platform, { projectId }, { signal }) {
    const row = await repositoryOfProject(platform.database.read, projectId)
    if (row) await packRepository(platform, row, signal)
  },
}

/** The storage of a project's repository, for administrators (contract 21, x.projects_storage). */
export async function storageOf(platform: Platform, project: ProjectRow) {
  const { storage, disk_path: diskPath } = await repositoryOf(platform, project.id)
  return {
    project_id: project.id,
    disk_path: diskPath.replace(/\.git$/, ''),
    repository_storage: storage,
    created_at: project.created_at,
  }
}

/** Measures the repository of a project (contract 21, x.projects_size). */
export async function recomputeSize(platform: Platform, project: ProjectRow): Promise<void> {
  await measureRepository(platform, await repositoryOf(platform, project.id))
}

/**
 * Enqueues the housekeeping of a project (contract 21, x.projects_housekeeping).
 * @throws ApiError 409 while one waits or runs, 403 while the repository is being moved
 */
export async function startHousekeeping(platform: Platform, project: ProjectRow): Promise<void> {
  if ((await repositoryOf(platform, project.id)).read_only) throw forbidden()
  const options = { uniqueKey: String(project.id) }
  const id = await platform.database.write((tx) =>
    enqueue(platform, tx, housekeepingJob, { projectId: project.id }, options),
  )
  if (id === null) throw conflict(alreadyTriggered)
}
