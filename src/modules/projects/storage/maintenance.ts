import { conflict, forbidden, notFound } from '../../../api/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import type { Jobs } from '../../../infra/jobs/index.ts'
import { type RepositoryCare, type RepositoryRow, repositoryOfProject } from '../../repositories/index.ts'
import type { ProjectRow } from '../tables.ts'

export type MaintenanceNeeds = { database: Database; jobs: Jobs; care: RepositoryCare }

/** Looks after the repositories of projects (contract 21: x.projects_storage, _size, _housekeeping). */
export type Maintenance = ReturnType<typeof createMaintenance>

const housekeepingJob = 'projects.housekeeping'
const alreadyTriggered = 'Somebody already triggered housekeeping for this resource in the past 1440 minutes'

export function createMaintenance({ database, jobs, care }: MaintenanceNeeds) {
  async function repositoryOf(projectId: number): Promise<RepositoryRow> {
    const row = await repositoryOfProject(database.read, projectId)
    if (!row) throw notFound('Repository')
    return row
  }

  jobs.define<{ projectId: number }>({
    kind: housekeepingJob,
    queue: 'maintenance',
    // Asked for by somebody who can ask again; while it waits for another try nobody could.
    maxAttempts: 1,
    async run({ projectId }, { signal }) {
      const row = await repositoryOfProject(database.read, projectId)
      if (row) await care.pack(row, signal)
    },
  })

  return {
    /** Where a project is stored, for administrators (x.projects_storage). */
    async storageOf(project: ProjectRow) {
      const { storage, disk_path: diskPath } = await repositoryOf(project.id)
      return {
        project_id: project.id,
        disk_path: diskPath.replace(/\.git$/, ''),
        repository_storage: storage,
        created_at: project.created_at,
      }
    },

    /** Measures the repository of a project anew (x.projects_size). */
    async recomputeSizes(project: ProjectRow): Promise<void> {
      await care.measure(await repositoryOf(project.id))
    },

    /**
     * Stores the job that packs the repository (x.projects_housekeeping).
     * @throws ApiError 409 while one waits or runs, 403 while the repository is being moved
     */
    async keepHouse(project: ProjectRow): Promise<void> {
      if ((await repositoryOf(project.id)).read_only) throw forbidden()
      const payload = { projectId: project.id }
      const options = { uniqueKey: String(project.id) }
      const id = await database.write((tx) => jobs.enqueue(tx, housekeepingJob, payload, options))
      if (id === null) throw conflict(alreadyTriggered)
    },
  }
}
