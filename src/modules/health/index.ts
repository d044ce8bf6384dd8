import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export * from './operations.ts'

/** The state of the server, for administrators (contract 20, "meta"). */
export const health: Module = {
  name: 'health',
  tags: {
    'State of the server': 'Whether the server works, what it has to do, and the space and the backups that it has.',
  },
  operations: Object.values(operations),
}
