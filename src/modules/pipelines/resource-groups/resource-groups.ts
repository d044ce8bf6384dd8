import { type Actor, type Page, type PageRequest, recordNotFound, type Static } from '../../../api/index.ts'
import { acquireLock, now, type Reader } from '../../../infra/database/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { type PresentedJob, presentJobs } from '../jobs/present.ts'
import { transitionJob } from '../processing/job-changes.ts'
import { assignResourcesLater, type ResourceGroup as GroupKey, kinds } from '../processing/later.ts'
import type { ProcessMode, ResourceGroupRow } from '../tables.ts'
import { ResourceGroup } from './present.ts'
import * as store from './store.ts'

/** A resource group of a project. @throws ApiError 404 */
async function requireGroup(db: Reader, project: Project, key: string): Promise<ResourceGroupRow> {
  const row = await store.resourceGroupOf(db, project.id, key)
  if (!row) throw recordNotFound()
  return row
}

/** A page of the resource groups of a project (contract 24, x.resource_groups_list). */
export async function listResourceGroups({ database }: Platform, project: Project, page: PageRequest) {
  const found = await store.pageOfResourceGroups(database.read, project.id, page)
  return { ...found, items: found.items.map((row) => ResourceGroup.present(row)) }
}

/** One resource group (contract 24, x.resource_groups_get). @throws ApiError 404 */
export async function getResourceGroup({ database }: Platform, project: Project, key: string) {
  return ResourceGroup.present(await requireGroup(database.read, project, key))
}

/** The job that holds the resource; null: none (contract 24, x.resource_groups_current_job). @throws ApiError 404 */
export async function currentJob(
  platform: Platform,
  project: Project,
  actor: Actor,
  key: string,
): Promise<PresentedJob | null> {
  const { read } = platform.database
  const holder = await store.holderOf(read, await requireGroup(read, project, key))
  return holder && ((await presentJobs(platform, project, actor, [holder]))[0] ?? null)
}

/** A page of the jobs that get the resource next (contract 24, x.resource_groups_upcoming_jobs). @throws ApiError 404 */
export async function upcomingJobs(
  platform: Platform,
  project: Project,
  actor: Actor,
  key: string,
  page: PageRequest,
): Promise<Page<PresentedJob>> {
  const { read } = platform.database
  const found = await store.pageOfUpcoming(read, await requireGroup(read, project, key), page)
  return { ...found, items: await presentJobs(platform, project, actor, found.items) }
}

/** Sets in which order jobs get the resource (contract 24, x.resource_groups_update). @throws ApiError 404 */
export async function updateGroup(
  platform: Platform,
  project: Project,
  key: string,
  mode: ProcessMode | undefined,
): Promise<Static<typeof ResourceGroup>> {
  const { database, clock } = platform
  const row = await requireGroup(database.read, project, key)
  if (mode === undefined || mode === row.process_mode) return ResourceGroup.present(row)
  const changed = await database.write(async (tx) => {
    await assignResourcesLater(platform, tx, project.id, [{ resource_group: key }])
    return store.updateResourceGroup(tx, row.id, { process_mode: mode, updated_at: now(clock) })
  })
  if (!changed) throw recordNotFound()
  return ResourceGroup.present(changed)
}

/**
 * Gives the resource of a group to the job that is next, unless another one holds it (contract 24, Resource groups). The lock keeps
 * two processes from giving it at once.
 */
export const assignResourceJob: Job<GroupKey> = {
  kind: kinds.assignResource,
  queue: 'pipelines',
  async run(platform, { projectId, group: key }) {
    await platform.database.write(async (tx) => {
      await acquireLock(tx, `resource_group:${projectId}:${key}`)
      const group = await store.resourceGroupOf(tx, projectId, key)
      const next = await store.nextOf(tx, {
        ...{ project_id: projectId, key, process_mode: group?.process_mode ?? 'unordered' },
      })
      if (next) await transitionJob(platform, tx, next, 'enqueue')
    })
  },
}
