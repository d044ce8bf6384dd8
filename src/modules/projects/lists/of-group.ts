import { type Actor, dayOf, type OffsetRequest, type TSchema } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { type PresentedProject, ProjectObject } from '../present/present.ts'
import type { ProjectLists } from './lists.ts'
import { ownedByGroup, sharedWith } from './store/scopes.ts'

/** As many as the object of a group shows of each kind (contract 21, Group). */
const firstHundred: OffsetRequest = { kind: 'offset', page: 1, perPage: 100, offset: 0, limit: 100 }

export type ProjectsOfGroup = {
  schema: TSchema
  of(
    group: { id: number },
    actor: Actor,
  ): Promise<{ projects: PresentedProject[]; shared_projects: PresentedProject[] }>
}

/** The projects that the object of a group shows: its own, and those that are shared with it. */
export function projectsOfGroup(needs: { lists: ProjectLists; database: Database; clock: Clock }): ProjectsOfGroup {
  const { lists, database, clock } = needs
  return {
    schema: ProjectObject,
    async of(group, actor) {
      const own = await lists.list(actor, {}, firstHundred, ownedByGroup(group.id))
      const at = { db: database.read, today: dayOf(clock.now()) }
      const shared = await lists.list(actor, {}, firstHundred, sharedWith(at, group.id))
      return { projects: own.items, shared_projects: shared.items }
    },
  }
}
