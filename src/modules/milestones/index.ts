import type { Module } from '../../platform/index.ts'
import './events.ts'
import { milestoneOperations, projectMilestonesPromote } from './operations.ts'

export { exportedMilestones, exportedMilestonesByIds } from './export/lines.ts'
export { embeddedMilestone, importMilestone } from './import/lines.ts'
export { requireMilestone, searchMilestones } from './milestones.ts'
export { keepMilestonesOfProject } from './moved-projects.ts'
export { Milestone, type PresentedMilestone } from './present.ts'
export { milestonesByIds } from './store/milestones.ts'
export {
  keepMilestones,
  unusableMilestones,
  usableMilestone,
  usableMilestones,
  usableMilestonesTitled,
} from './store/usable.ts'
export type { MilestoneRow } from './tables.ts'

/** Milestones of projects and groups (contract 17). */
export const milestones: Module = {
  name: 'milestones',
  tags: { Milestones: 'Milestones of projects and groups.' },
  operations: [...milestoneOperations, projectMilestonesPromote],
}
