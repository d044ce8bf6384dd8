import type { Module } from '../../platform/index.ts'
import './events.ts'
import * as operations from './operations.ts'

export {
  deletionSuffix,
  isGroupName,
  isNamespacePath,
  isProjectName,
  isProjectPath,
  isReservedPath,
  isStrictPath,
  pathFromName,
} from './paths.ts'
export {
  namespaceAvatarUrl,
  namespaceWebUrl,
  type PresentedPublicGroup,
  PublicGroup,
  presentPublicGroup,
} from './present.ts'
export { isAtOrBelow, possibleIds } from './store/choose.ts'
export {
  ancestorsOf,
  deleteNamespace,
  holdTree,
  insertNamespace,
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
  levelsAbove,
  refreshMarks,
  subtreeOf,
} from './store/subtree.ts'
export type { Json, NamespaceRow, Visibility } from './tables.ts'

export const namespaces: Module = { name: 'namespaces', operations: Object.values(operations) }
