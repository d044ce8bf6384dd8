import type { Module } from '../../platform/index.ts'
import './events.ts'

export { Milestone, type PresentedMilestone, presentMilestone } from './present.ts'
export { milestonesByIds, unusableMilestones, usableMilestone, usableMilestonesTitled } from './store.ts'
export type { MilestoneRow } from './tables.ts'

/** Milestones of projects and groups (contract 17). */
export const milestones: Module = { name: 'milestones', operations: [] }
