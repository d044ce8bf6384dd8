import type { Module } from '../../platform/index.ts'
import { attachmentOperations } from './attachments/operations.ts'
import { pageOperations } from './pages/operations.ts'

export { findPage, textOf } from './pages/pages.ts'
export { firstPage } from './pages/read-pages.ts'
export { titleOfSlug } from './pages/titles.ts'
export { wikiBranchRule, wikiListener } from './repository/gate.ts'
export { ensureWiki, findWiki } from './repository/repository.ts'

/** The wikis of projects and groups (contract 22 R8). */
export const wikis: Module = {
  name: 'wikis',
  tags: { Wikis: 'Pages of the wiki of a project or group.' },
  operations: [...pageOperations, ...attachmentOperations],
}
