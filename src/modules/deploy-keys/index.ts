import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { deployKeyJoin, joinsOfKey, removeKeysOfProject } from './store.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A deploy key is about to lose its access to a project; the key and its join are still there. */
    'deploy_key.removed': { projectId: number; keyId: number }
  }
}

export const deployKeys: Module = {
  name: 'deploy-keys',
  tags: { 'Deploy keys': 'SSH keys that give machines access to projects.' },
  operations: Object.values(operations),
}
