export { isAtOrBelow, possibleIds } from './choose.ts'
export { deletionSuffix, inheritedMark, refreshMarks } from './marks.ts'
export { createNamespaces, type Namespaces } from './namespaces.ts'
export { namespaceOperations } from './operations.ts'
export { type NamespaceQuery, pageOfNamespaces } from './page.ts'
export {
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
export { claimRoute, findRoute, isPathTaken, moveRoutes, type Route } from './routes.ts'
export {
  ancestorsOf,
  holdTree,
  insertNamespace,
  moveNamespace,
  type NewNamespace,
  namespaceById,
  namespaceByPath,
  namespaceOfUser,
  subtreeOf,
} from './store.ts'
export type { Json, NamespaceRow, Visibility } from './tables.ts'
