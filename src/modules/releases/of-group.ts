import { type Actor, dayOf, type Page, type PageRequest } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { callerOf, projectsWithRoles, visibleProjects } from '../projects/index.ts'
import type { PresentedRelease } from './present.ts'
import type { ReleasePresenting, Shown } from './presenting.ts'
import { pageOfGroupReleases } from './store.ts'

export type GroupReleasesNeeds = { database: Database; clock: Clock; presenting: ReleasePresenting }

/** The releases of the projects of groups (contract 22, x.group_releases). */
export type GroupReleases = ReturnType<typeof createGroupReleases>

export function createGroupReleases({ database, clock, presenting }: GroupReleasesNeeds) {
  const db = database.read
  return {
    /** Those of every project in the group and below it whose releases the actor sees, by their date. */
    async list(
      group: { id: number },
      actor: Actor,
      params: { sort?: 'asc' | 'desc' } & Shown,
      page: PageRequest,
    ): Promise<Page<PresentedRelease>> {
      const caller = await callerOf(db, actor, dayOf(clock.now()))
      const features = ['releases_access_level', 'repository_access_level'] as const
      const rows = await pageOfGroupReleases(db, group.id, visibleProjects(db, caller, features), params, page)
      const ids = rows.items.map(({ project_id }) => project_id)
      const projects = await projectsWithRoles(db, caller, ids)
      return { ...rows, items: await presenting.list(actor, rows.items, projects, params) }
    },
  }
}
