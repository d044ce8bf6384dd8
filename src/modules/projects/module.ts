import type { Operation } from '../../api/index.ts'
import type { ProjectSubject } from './access.ts'
import { type Creation, type CreationNeeds, createCreation } from './create.ts'
import { createImports, type ImportsNeeds } from './imports.ts'
import { createProjectLists, type ProjectLists } from './list.ts'
import { type ListOperationsNeeds, listOperations } from './operations/lists.ts'
import { projectOperations } from './operations/projects.ts'
import { createProjectPeople, type ProjectPeopleNeeds } from './people.ts'
import { createProjectPresenter, type PresenterNeeds, type ProjectPresenter } from './present.ts'
import { createUpdates, type UpdatesNeeds } from './update.ts'

export type ProjectModuleNeeds = PresenterNeeds &
  ImportsNeeds &
  Omit<CreationNeeds, 'imports'> &
  Omit<UpdatesNeeds, 'imports'> &
  ProjectPeopleNeeds &
  Pick<ListOperationsNeeds, 'group'> & { project: ProjectSubject }

export type ProjectModule = {
  operations: Operation[]
  presenter: ProjectPresenter
  lists: ProjectLists
  creation: Creation
}

/** Projects themselves: listing, making, reading and changing them (contract 21). */
export function createProjectModule(needs: ProjectModuleNeeds): ProjectModule {
  const presenter = createProjectPresenter(needs)
  const lists = createProjectLists({ ...needs, presenter })
  const imports = createImports(needs)
  const creation = createCreation({ ...needs, imports })
  const operations = [
    ...listOperations({ ...needs, lists }),
    ...projectOperations({
      ...needs,
      presenter,
      creation,
      updates: createUpdates({ ...needs, imports }),
      people: createProjectPeople(needs),
    }),
  ]
  return { operations, presenter, lists, creation }
}
