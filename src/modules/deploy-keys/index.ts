import './events.ts'
import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { deployKeyJoin, joinsOfKey, removeKeysOfProject } from './store.ts'

export const deployKeys: Module = {
  name: 'deploy-keys',
  tags: { 'Deploy keys': 'SSH keys that give machines access to projects.' },
  operations: Object.values(operations),
}
