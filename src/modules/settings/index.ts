import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { schemaOf } from './present.ts'

export const settings: Module = {
  name: 'settings',
  tags: { 'Application settings': 'Settings of the whole instance, for administrators.' },
  operations: Object.values(operations),
}
