import { type Actor, isAdministrator, type Operation } from '../../../api/index.ts'
import type { Subject } from '../../../platform/index.ts'
import { type GroupAbility, type ProjectAbility, role } from '../../access/index.ts'
import { type Group, group } from '../../groups/index.ts'
import { type Project, project } from './access.ts'

/**
 * A project or a group with the caller's level in it, for what both have alike: members, tokens, labels, milestones. Roles are inherited from the
 * namespace, which is the group itself.
 */
export type ProjectOrGroup =
  | { kind: 'project'; id: number; namespaceId: number; level: number; project: Project; group?: undefined }
  | { kind: 'group'; id: number; namespaceId: number; level: number; group: Group; project?: undefined }

/** A project or a group; `namespaceId` is that of the group itself, or of the project's group or user. */
export type ProjectOrGroupRef = Pick<ProjectOrGroup, 'kind' | 'id' | 'namespaceId'>

/** The access level of the caller; administrators count as owners. */
export function callerLevel(actor: Actor, { level }: Pick<ProjectOrGroup, 'level'>): number {
  return isAdministrator(actor) ? role.owner : level
}

/** The abilities that the policies of projects and groups have under one name. */
type SharedAbility = Extract<ProjectAbility, GroupAbility>

/** What differs between the two declarations of an operation that projects and groups share. */
type Twin = {
  /** Begins ids (`project_labels.list`) and contract names (`x.project_labels_list`), and stands in texts. */
  kind: 'project' | 'group'
  path: '/projects/:id' | '/groups/:id'
  subject: Subject<ProjectOrGroup, SharedAbility>
}

const projectTwin: Twin = {
  kind: 'project',
  path: '/projects/:id',
  subject: {
    ...project,
    async find(platform, request, actor) {
      const found = await project.find(platform, request, actor)
      const { id, namespace_id: namespaceId, role } = found
      return { kind: 'project', id, namespaceId, level: role.level, project: found }
    },
    authorize(actor, found, ability) {
      if (found.project) return project.authorize(actor, found.project, ability)
    },
  },
}

const groupTwin: Twin = {
  kind: 'group',
  path: '/groups/:id',
  subject: {
    ...group,
    async find(platform, request, actor) {
      const found = await group.find(platform, request, actor)
      return { kind: 'group', id: found.id, namespaceId: found.id, level: found.level, group: found }
    },
    authorize(actor, found, ability) {
      if (found.group) return group.authorize(actor, found.group, ability)
    },
  },
}

/**
 * Declares operations once for projects and for groups.
 *
 * ```ts
 * atProjectAndGroup(({ kind, path, subject }) => [
 *   operation({ id: `${kind}_labels.list`, path: `${path}/labels`, subject, allow: 'read_labels', … }),
 * ])
 * ```
 */
export function atProjectAndGroup(declare: (twin: Twin) => readonly Operation[]): readonly Operation[] {
  return [...declare(projectTwin), ...declare(groupTwin)]
}
