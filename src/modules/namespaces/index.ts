import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { countChanges, totalsCheck } from './totals/totals.ts'

export {
  freeDeletionSuffix,
  isGroupName,
  isProjectName,
  isReservedPath,
  namespacePathProblems,
  pathFromName,
  projectPathProblems,
  strictPathProblems,
  withoutDeletionSuffix,
} from './paths.ts'
export {
  avatarFile,
  namespaceAvatarUrl,
  namespaceMembers,
  namespaceWebUrl,
  type PresentedPublicGroup,
  PublicGroup,
  presentPublicGroup,
} from './present.ts'
export {
  ancestorsOf,
  deleteNamespace,
  holdTree,
  insertNamespace,
  lineagesOf,
  moveNamespace,
  namespaceById,
  namespaceByPath,
  namespaceOfUser,
  updateNamespace,
} from './store/namespaces.ts'
export {
  claimRoute,
  deleteRoutesOf,
  findRoute,
  findRoutes,
  isPathTaken,
  moveRoutes,
  type Route,
} from './store/routes.ts'
export { isReached, kindRank, named, namespaceId, onUse, possibleIds, topLevelOnly } from './store/selection.ts'
export {
  capVisibility,
  earliestMark,
  groupTree,
  hasManyBelow,
  hideSubtree,
  inheritArchived,
  inheritedMark,
  markedUntil,
  refreshArchived,
  refreshMarks,
  subtreeOf,
} from './store/subtree.ts'
export type { NamespaceRow, Visibility } from './tables.ts'
export { countedProjects, countedProjectsIn, totalsOf } from './totals/store/totals.ts'
export {
  isGranted,
  isOpenTo,
  isWider,
  levelOfVisibility,
  levelsAbove,
  openVisibilities,
  refusedLevels,
  refusesWritesIn,
  unrefused,
  visibilityIn,
  visibilityOfLevel,
} from './visibility.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A namespace has another path: the paths of the namespaces below it are changed, those of projects are not. */
    'namespace.moved': { namespaceId: number; formerPath: string }
    /** The deletion marks of a namespace and of the namespaces below it were recomputed. */
    'namespace.marked': { namespaceId: number }
    /** A group was archived or unarchived, and with it the namespaces below it. */
    'namespace.archived': { namespaceId: number }
    /** A namespace was hidden with the namespaces below it. */
    'namespace.hidden': { namespaceId: number }
  }
}

export const namespaces: Module = {
  name: 'namespaces',
  tags: { Namespaces: 'Namespaces of users and groups.' },
  operations: Object.values(operations),
  jobs: [countChanges],
  checks: [totalsCheck],
}
