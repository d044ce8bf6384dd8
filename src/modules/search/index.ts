import type { Module } from '../../platform/index.ts'
import { indexCodeJob } from './code/code-index.ts'
import { groupSearch, instanceSearch, projectSearch } from './operations.ts'

export { indexCodeLater } from './code/code-index.ts'
export { groupSearch, instanceSearch, projectSearch } from './operations.ts'

/** Search in the instance, in groups and in projects (contract 25, "Search"). */
export const search: Module = {
  name: 'search',
  tags: { Search: 'What the caller may read, by the words in it.' },
  operations: [instanceSearch, groupSearch, projectSearch],
  jobs: [indexCodeJob],
}
