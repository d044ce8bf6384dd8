declare module '../../platform/platform.ts' {
  interface Events {
    /** Iterations are about to be deleted: their rows are still there. */
    'iterations.removed': { iterationIds: readonly number[] }
    /**
     * The last day of an iteration has passed. Its open issues move to the next one; null when its cadence does not roll
     * over, or has no later iteration.
     */
    'iteration.closed': { iterationId: number; nextIterationId: number | null }
  }
}

export {}
