import type { Module } from '../../platform/index.ts'
import * as finding from './finding/operations.ts'
import * as reading from './reading/operations.ts'
import * as submodules from './submodules/operations.ts'
import * as trees from './trees/operations.ts'
import * as writing from './writing/operations.ts'

export { filesFind } from './finding/operations.ts'
export { filesBlame, filesGet, filesRaw } from './reading/operations.ts'
export { repositoryTree } from './trees/operations.ts'
export { filesCreate, filesDelete, filesUpdate, filesUpload } from './writing/operations.ts'

export const files: Module = {
  name: 'files',
  tags: { 'Repository files': 'Reading and changing single files of a repository.' },
  operations: [finding, reading, trees, writing, submodules].flatMap((room) => Object.values(room)),
}
