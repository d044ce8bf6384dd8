declare module '../../platform/platform.ts' {
  interface Events {
    /** A milestone is about to be deleted: its row is still there. */
    'milestone.removed': { milestoneId: number }
    /** A milestone replaces others, which are about to be deleted (promotion). */
    'milestones.merged': { milestoneIds: readonly number[]; intoId: number }
  }
}

export {}
