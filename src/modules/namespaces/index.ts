import type { Module } from '../../platform/index.ts'
import './events.ts'
import * as operations from './operations.ts'

export {
  deletionSuffix,
  isGroupName,
  isProjectName,
  isReservedPath,
  namespacePathProblems,
  pathFromName,
  projectPathProblems,
  strictPathProblems,
} from './paths.ts'
export {
  namespaceAvatarUrl,
  namespaceWebUrl,
  type PresentedPublicGroup,
  PublicGroup,
  presentPublicGroup,
} from './present.ts'
export { isAtOrBelow, matchesSearch, possibleIds } from './store/choose.ts'
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
export { type NamespaceQuery, pageOfNamespaces } from './store/page.ts'
export { claimRoute, deleteRoutesOf, findRoute, isPathTaken, moveRoutes, type Route } from './store/routes.ts'
export {
  capVisibility,
  earliestMark,
  hideSubtree,
  inheritedMark,
  refreshMarks,
  subtreeOf,
} from './store/subtree.ts'
export type { Json, NamespaceRow, Visibility } from './tables.ts'
export {
  isGranted,
  isOpenTo,
  isWider,
  levelsAbove,
  openVisibilities,
  refusedLevels,
  unrefused,
  visibilityIn,
} from './visibility.ts'

export const namespaces: Module = { name: 'namespaces', operations: Object.values(operations) }
