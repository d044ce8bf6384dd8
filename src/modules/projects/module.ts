import type { Actor, Operation } from '../../api/index.ts'
import type { ProjectSubject } from './access.ts'
import { type Creation, type CreationNeeds, createCreation } from './create.ts'
import { createImports, type ImportsNeeds } from './imports.ts'
import { createProjectLists, type ProjectLists } from './list.ts'
import { type ListOperationsNeeds, listOperations } from './operations/lists.ts'
import { projectOperations } from './operations/projects.ts'
import { createProjectPeople, type ProjectPeopleNeeds } from './people.ts'
import { ownedByGroup, sharedWith } from './places.ts'
import {
  createProjectPresenter,
  type PresentedProject,
  type PresenterNeeds,
  ProjectObject,
  type ProjectPresenter,
} from './present.ts'
import { createUpdates, type UpdatesNeeds } from './update.ts'

export type ProjectModuleNeeds = PresenterNeeds &
  ImportsNeeds &
  Omit<CreationNeeds, 'imports'> &
  UpdatesNeeds &
  ProjectPeopleNeeds &
  Pick<ListOperationsNeeds, 'group'> & { project: ProjectSubject }

export type ProjectModule = {
  operations: Operation[]
  presenter: ProjectPresenter
  lists: ProjectLists
  creation: Creation
  /** What a group shows of its projects: at most 100 of its own and 100 that are shared with it. */
  ofGroup: {
    schema: typeof ProjectObject
    of(
      group: { id: number },
      actor: Actor,
    ): Promise<{ projects: PresentedProject[]; shared_projects: PresentedProject[] }>
  }
}

const first100 = { kind: 'offset', page: 1, perPage: 100, offset: 0, limit: 100 } as const

/** Projects themselves: listing, making, reading and changing them (contract 21). */
export function createProjectModule(needs: ProjectModuleNeeds): ProjectModule {
  const presenter = createProjectPresenter(needs)
  const lists = createProjectLists({ ...needs, presenter })
  const creation = createCreation({ ...needs, imports: createImports(needs) })
  const operations = [
    ...listOperations({ ...needs, lists }),
    ...projectOperations({
      ...needs,
      presenter,
      creation,
      updates: createUpdates(needs),
      people: createProjectPeople(needs),
    }),
  ]
  const ofGroup: ProjectModule['ofGroup'] = {
    schema: ProjectObject,
    async of({ id }, actor) {
      const own = await lists.list(actor, {}, first100, ownedByGroup(id))
      const shared = await lists.list(actor, {}, first100, sharedWith(id, needs.clock))
      return { projects: own.items, shared_projects: shared.items }
    },
  }
  return { operations, presenter, lists, creation, ofGroup }
}
