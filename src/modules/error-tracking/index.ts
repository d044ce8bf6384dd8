import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

/** Settings of error tracking with the keys of its clients, as records (contract 26.14). */
export const errorTracking: Module = {
  name: 'error-tracking',
  tags: {
    'Error tracking': 'Settings of error tracking and keys of its clients, as records: no events are collected.',
  },
  operations: Object.values(operations),
}
