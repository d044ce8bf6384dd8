import type { Module } from '../../platform/index.ts'
import './events.ts'

export { Iteration, iterationState, type PresentedIteration, presentIteration } from './present.ts'
export { iterationsByIds, unusableIterations, usableIteration } from './store.ts'
export type { IterationRow } from './tables.ts'

/** Iterations of groups, and their cadences (contract 17). */
export const iterations: Module = { name: 'iterations', operations: [] }
