import type { Operation } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'
import { conversation } from './conversation/operations.ts'
import { snippetTwins } from './core/operations.ts'
import { removeUnfinished } from './core/remove.ts'
import * as lists from './lists/operations.ts'
import { rawOperations } from './raw/operations.ts'
import { snippetCheck } from './repository/check.ts'

export { mayPushTo, readableSnippet, readableSnippetsIn } from './core/access.ts'
export { snippetTwins } from './core/operations.ts'
export { snippetsWithAddresses } from './core/present.ts'
export { removeSnippetsOfProject, removeSnippetsOfUser } from './core/remove.ts'
export { snippetById, snippetsByIds, touchSnippet } from './core/store.ts'
export { exportedSnippetBundles } from './export/bundles.ts'
export { exportedSnippets } from './export/lines.ts'
export { importSnippet } from './import/lines.ts'
export { searchSnippets } from './lists/lists.ts'
export { projectSnippetsList, snippetsListOwn, snippetsListPublic } from './lists/operations.ts'
export { rawSnippets } from './raw/operations.ts'
export { snippetListener, snippetRule } from './repository/gate.ts'

/** Snippets, personal ones and those of projects (contract 09). */
export const snippets: Module = {
  name: 'snippets',
  tags: { Snippets: 'Snippets: small sets of files with a title, of users and of projects.' },
  operations: [
    ...Object.values(lists),
    ...Object.values(snippetTwins).flatMap(Object.values<Operation>),
    ...rawOperations,
    ...conversation,
  ],
  jobs: [removeUnfinished],
  checks: [snippetCheck],
}
