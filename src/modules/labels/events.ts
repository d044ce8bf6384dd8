import type { Actor } from '../../api/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'

/** What has a label, as its presenter shows it (contract 17, Label). */
export type LabelCounts = {
  open_issues_count: number
  closed_issues_count: number
  open_merge_requests_count: number
}

declare module '../../platform/platform.ts' {
  interface Events {
    /** A label is about to be deleted: its row is still there. */
    'label.removed': { labelId: number }
    /** A label replaces others, which are about to be deleted (promotion). */
    'labels.merged': { labelIds: readonly number[]; intoId: number }
  }
  interface Questions {
    /**
     * Counts the issues and merge requests with each of these labels in a project, or in a group and below it, that the
     * caller may see. Labels without any may be absent.
     */
    'labels.counts'(
      parent: ProjectOrGroup,
      labelIds: readonly number[],
      actor: Actor,
    ): Promise<ReadonlyMap<number, LabelCounts>>
  }
}
