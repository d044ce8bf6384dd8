import type { Operation } from '../../api/index.ts'
import type { Module } from '../../platform/index.ts'
import { attachmentOperations } from './attachments/operations.ts'
import { wikiPages } from './pages/operations.ts'

export { importWiki } from './imported.ts'
export { wikiPages } from './pages/operations.ts'
export { findPage, textOf } from './pages/pages.ts'
export { firstPage } from './pages/read-pages.ts'
export { titleOfSlug } from './pages/titles.ts'
export { wikiBranchRule, wikiListener } from './repository/gate.ts'
export { ensureWiki, findWiki, openWiki } from './repository/repository.ts'

/** The wikis of projects and groups (contract 22 R8). */
export const wikis: Module = {
  name: 'wikis',
  tags: { Wikis: 'Pages of the wiki of a project or group.' },
  operations: [...Object.values(wikiPages).flatMap(Object.values<Operation>), ...attachmentOperations],
}
