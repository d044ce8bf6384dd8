import type { Actor } from '../../api/index.ts'
import type { Tx } from '../../infra/database/index.ts'
import type { ProjectRow } from './tables.ts'

/** A checked address from which a project is pulled while its setting `mirror` is on, and the user who set it. */
type PulledFrom = { address: string; userId: number | null }

declare module '../../platform/platform.ts' {
  interface Events {
    /** A project was created. A fork is one too; `project.forked` follows. */
    'project.created': { projectId: number; userId: number; isImported?: boolean }
    /** The import of a project from a file or from another server is finished. Nothing was raised meanwhile. */
    'project.imported': { projectId: number; userId: number }
    'project.forked': { projectId: number; sourceId: number }
    /** A project has another full path, namespace or both. */
    'project.moved': { projectId: number; formerPath: string; formerNamespaceId: number }
    /** The attributes or settings of a project were changed, and not its path. */
    'project.updated': { projectId: number }
    /** The invitation of a group to a project has ended. */
    'project.unshared': { projectId: number; groupId: number }
    /** A project is about to be deleted: its rows are still there. */
    'project.removed': { projectId: number }
  }
  interface Questions {
    /** Prepares the first protection of a project's default branch, after an import or the copy of a fork. */
    'projects.protect_default_branch'(projectId: number): Promise<RecordRefs>
    /** Makes a project a pull mirror of an address, in the transaction in which the project is written. */
    'projects.pull_from'(tx: Tx, project: ProjectRow, from: PulledFrom): Promise<void>
    /**
     * Schedules the move of a project to another storage, in the transaction in which the project is written.
     * @throws ApiError 400 while it is being moved
     */
    'projects.move_to_storage'(tx: Tx, projectId: number, storage: string): Promise<void>
    /** The number of open issues of each of these projects that are not confidential; projects without any are absent. */
    'projects.open_issues'(projectIds: readonly number[]): Promise<ReadonlyMap<number, number>>
    /** A description of a project as safe HTML, where links to its uploads lead to their addresses. */
    'projects.render_description'(projectId: number, text: string): string
    /** The caller's `notification_level` for each of these projects, or groups; those without a setting are absent. */
    'projects.notification_levels'(
      actor: Actor,
      kind: 'project' | 'group',
      ids: readonly number[],
    ): Promise<ReadonlyMap<number, number>>
    /** Bytes of the container images of each of these projects; projects without any are absent. */
    'projects.registry_sizes'(projectIds: readonly number[]): Promise<ReadonlyMap<number, number>>
  }
}
