import type { Actor } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Visibility } from '../namespaces/index.ts'

/** Projects as the object of a group shows them. */
type ShownProjects = { projects: object[]; shared_projects: object[] }

declare module '../../platform/platform.ts' {
  interface Events {
    /** A group was created; by a deploy token or the like when `userId` is null. */
    'group.created': { groupId: number; userId: number | null; isImported?: boolean }
    /** A group has another parent. */
    'group.moved': { groupId: number }
    /** The invitation of a group to a group has ended. */
    'group.unshared': { groupId: number; invitedId: number }
    /** A group is about to be deleted with everything below it: the rows are still there. */
    'group.removed': { groupId: number }
  }
  interface Questions {
    /** At most 100 projects of a group, and at most 100 shared with it, that the caller may see. */
    'groups.projects'(group: { id: number; level: number }, actor: Actor): Promise<ShownProjects>
    /** The visibility of a project that the caller may see; null of any other. */
    'groups.seen_project'(projectId: number, actor: Actor): Promise<Visibility | null>
    /** Whether the project, or one in the group or below it, has npm packages whose scope is this path (contract 23 R11). */
    'groups.scoped_packages'(
      db: Reader,
      of: { projectId: number } | { groupId: number },
      scope: string,
    ): Promise<boolean>
    /** Deletes a hidden project with all its data; does nothing when it is gone. */
    'groups.remove_project'(projectId: number): Promise<void>
  }
}
