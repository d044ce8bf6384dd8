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
    /** A milestone replaces others, which are about to be deleted (promotion). */
    'milestones.merged': { milestoneIds: readonly number[]; intoId: number }
  }
}

export {}
