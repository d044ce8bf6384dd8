import type { Module } from '../../platform/index.ts'
import { coreOperations } from './core/operations.ts'
import { removeUnfinished } from './core/remove.ts'
import * as lists from './lists/operations.ts'
import { rawOperations } from './raw/operations.ts'
import { snippetCheck } from './repository/check.ts'

export { mayPushTo, readableSnippet } from './core/access.ts'
export { snippetsWithAddresses } from './core/present.ts'
export { removeSnippetsOfProject, removeSnippetsOfUser } from './core/remove.ts'
export { snippetById, snippetsByIds, touchSnippet } from './core/store.ts'
export { exportedSnippets } from './export/lines.ts'
export { snippetListener, snippetRule } from './repository/gate.ts'

/** Snippets, personal ones and those of projects (contract 09). */
export const snippets: Module = {
  name: 'snippets',
  tags: { Snippets: 'Snippets: small sets of files with a title, of users and of projects.' },
  operations: [...Object.values(lists), ...coreOperations, ...rawOperations],
  jobs: [removeUnfinished],
  checks: [snippetCheck],
}
