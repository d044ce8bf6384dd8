import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { schemaOf } from './present.ts'

export const settings: Module = { name: 'settings', operations: Object.values(operations) }
