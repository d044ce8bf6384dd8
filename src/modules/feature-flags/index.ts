import type { Module } from '../../platform/index.ts'
import * as clients from './clients/operations.ts'
import * as flags from './flags/operations.ts'
import * as preview from './preview/operations.ts'
import * as unleash from './unleash/operations.ts'
import * as userLists from './user-lists/operations.ts'

export { featureFlagClientsGet, featureFlagClientsReset } from './clients/operations.ts'
export {
  featureFlagsCreate,
  featureFlagsDelete,
  featureFlagsGet,
  featureFlagsList,
  featureFlagsUpdate,
} from './flags/operations.ts'
export { flagById } from './flags/store.ts'
export { featureFlagsPreview } from './preview/operations.ts'
export type { FlagRow } from './tables.ts'
export { featureFlagUserListsList } from './user-lists/operations.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A feature flag was switched on or off. */
    'feature_flag.switched': { flagId: number; projectId: number; userId: number | null }
  }
}

/** Feature flags of projects, and the API by which applications ask for them (contract 24). */
export const featureFlags: Module = {
  name: 'feature-flags',
  tags: { 'Feature flags': 'What applications switch while they run, for whom and in which environments.' },
  operations: [flags, preview, userLists, clients, unleash].flatMap((room) => Object.values(room)),
}
