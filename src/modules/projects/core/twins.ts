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

/** A project with what it and groups have alike. */
export function fromProject(project: Project): ProjectOrGroup {
  return { kind: 'project', id: project.id, namespaceId: project.namespace_id, level: project.role.level, project }
}

/** A group with what it and projects have alike. */
export function fromGroup(group: Group): ProjectOrGroup {
  return { kind: 'group', id: group.id, namespaceId: group.id, level: group.level, group }
}

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
    find: async (platform, request, actor) => fromProject(await project.find(platform, request, actor)),
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
    find: async (platform, request, actor) => fromGroup(await group.find(platform, request, actor)),
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

/** Declares them by names, under which they keep their types: `twinsOf(…).project.list`. */
export function twinsOf<Named extends Readonly<Record<string, Operation>>>(
  declare: (twin: Twin) => Named,
): Readonly<Record<Twin['kind'], Named>> {
  return { project: declare(projectTwin), group: declare(groupTwin) }
}
