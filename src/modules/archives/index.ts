import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { repositoryArchiveBySuffix } from './operations.ts'

export const archives: Module = {
  name: 'archives',
  tags: { Repositories: 'Snapshots of repositories.' },
  operations: Object.values(operations),
}
