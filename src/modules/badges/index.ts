import type { Module } from '../../platform/index.ts'
import { badgeOperations } from './operations.ts'

export { importBadge } from './imported.ts'
export { projectBadgesList } from './operations.ts'
export { exportedGroupBadges, exportedProjectBadges } from './store.ts'

/** Badges of projects and groups (contract 25). */
export const badges: Module = {
  name: 'badges',
  tags: { Badges: 'Small images with a link, on the pages of projects.' },
  operations: Object.values(badgeOperations).flatMap((twin) => Object.values(twin)),
}
