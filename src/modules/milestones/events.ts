import type { Reader } from '../../infra/database/index.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A milestone is about to be deleted: its row is still there. */
    'milestone.removed': { milestoneId: number; projectId: number | null; groupId: number | null }
    /** A milestone was created, closed or activated again. */
    'milestone.changed': {
      milestoneId: number
      projectId: number | null
      groupId: number | null
      action: 'create' | 'close' | 'reopen'
    }
    /** A milestone replaces others: everywhere before they are deleted (promotion), or in a project that has moved away. */
    'milestones.merged': { milestoneIds: readonly number[]; intoId: number; projectId?: number }
  }
  interface Questions {
    /** The milestones that a project uses: of its issues, merge requests, releases and their records. */
    'milestones.in_use'(db: Reader, projectId: number): Promise<number[]>
  }
}
