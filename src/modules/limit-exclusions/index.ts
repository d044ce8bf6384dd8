import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** Namespaces that are exempt from limits of storage (contract 25). */
export const limitExclusions: Module = {
  name: 'limit-exclusions',
  tags: { 'Storage limit exclusions': 'Namespaces that are exempt from limits of storage.' },
  operations: Object.values(operations),
}
