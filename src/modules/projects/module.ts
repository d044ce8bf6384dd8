import type { Operation } from '../../api/index.ts'
import type { ProjectSubject } from './core/access.ts'
import { projectOperations } from './core/operations.ts'
import { createUpdates, type UpdatesNeeds } from './core/update.ts'
import { type Creation, type CreationNeeds, createCreation } from './creation/create.ts'
import { createImports, type ImportsNeeds } from './imports/imports.ts'
import { createProjectLists, type ProjectLists } from './lists/lists.ts'
import { type ListOperationsNeeds, listOperations } from './lists/operations.ts'
import { createProjectPresenter, type PresenterNeeds, type ProjectPresenter } from './present/present.ts'
import { createProjectPeople, type ProjectPeopleNeeds } from './sharing/people.ts'

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
