import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export const license: Module = { name: 'license', operations: Object.values(operations) }
