import type { Module } from '../../platform/index.ts'
import * as cadences from './cadences/operations.ts'
import * as core from './core/operations.ts'
import { advanceIterations } from './scheduling/advance.ts'

export { iterationsGet } from './core/operations.ts'
export { Iteration } from './core/present.ts'
export { iterationsByIds, keepIteration, unusableIterations, usableIteration } from './core/store.ts'
export { exportedCadences, exportedIterationsByIds } from './export/lines.ts'
export { embeddedIteration, importCadence } from './import/lines.ts'
export type { IterationRow } from './tables.ts'

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

/** Iterations of groups, and their cadences (contract 17). */
export const iterations: Module = {
  name: 'iterations',
  tags: { Iterations: 'Iterations of groups, and the cadences that plan them.' },
  operations: [...Object.values(core).flat(), ...Object.values(cadences)],
  jobs: [advanceIterations],
}
