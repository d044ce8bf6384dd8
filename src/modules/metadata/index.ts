import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export const metadata: Module = { name: 'metadata', operations: Object.values(operations) }
