import type { Module } from '../../platform/index.ts'
import * as reading from './reading/operations.ts'
import * as submodules from './submodules/operations.ts'
import * as trees from './trees/operations.ts'
import * as writing from './writing/operations.ts'

export const files: Module = {
  name: 'files',
  tags: { 'Repository files': 'Reading and changing single files of a repository.' },
  operations: [reading, trees, writing, submodules].flatMap((room) => Object.values(room)),
}
