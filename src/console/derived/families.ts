import type { Page } from '../page.ts'
import { familiesOfCallers } from './families/callers.ts'
import { familiesOfGroups } from './families/groups.ts'
import { familiesOfInstance } from './families/instance.ts'
import { familiesOf } from './families/places.ts'
import { familiesOfProjects } from './families/projects.ts'
import { familiesOfUsers } from './families/users.ts'

/** The pages of all plain families, in the order of the navigation. */
export const families: readonly Page[] = [
  ...[familiesOf('project'), familiesOfProjects, familiesOf('group'), familiesOfGroups],
  ...[familiesOfCallers, familiesOfUsers, familiesOfInstance],
].flat(2)
