export { createDeployKeys, type DeployKeyNeeds, type DeployKeys } from './deploy-keys.ts'
export { deployKeyOperations } from './operations.ts'
export { deployKeyJoin, joinsOfKey, leaveProject } from './store.ts'
export type { DeployKeyProjectRow } from './tables.ts'
