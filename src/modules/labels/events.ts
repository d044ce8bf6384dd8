import type { Actor } from '../../api/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A label replaces others, which are about to be deleted (promotion). */
    'labels.merged': { labelIds: readonly number[]; intoId: number }
  }
  interface Questions {
    /**
     * Counts the issues with each of these labels in a project, or in a group and below it, that the caller may see. Labels
     * without any may be absent.
     */
    'labels.issue_counts'(
      parent: ProjectOrGroup,
      labelIds: readonly number[],
      actor: Actor,
    ): Promise<ReadonlyMap<number, { opened: number; closed: number }>>
    /** As `labels.issue_counts`, of open merge requests. */
    'labels.merge_request_counts'(
      parent: ProjectOrGroup,
      labelIds: readonly number[],
      actor: Actor,
    ): Promise<ReadonlyMap<number, number>>
  }
}
