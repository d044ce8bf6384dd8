import type { Module, Platform } from '../../platform/index.ts'
import type { RepositoryRow } from '../../platform/repositories/index.ts'
import { attachmentOperations } from './attachments/operations.ts'
import { pageOperations } from './pages/operations.ts'
import { ensureWiki, findWiki, type WikiOwner } from './repository/repository.ts'

export { wikiBranchRule, wikiListener } from './repository/gate.ts'
export { ensureWiki, findWiki, type WikiOwner } from './repository/repository.ts'
export { wikiSizes } from './wiki-sizes.ts'

/** The wikis of projects and groups (contract 22 R8). */
export const wikis: Module = { name: 'wikis', operations: [...pageOperations, ...attachmentOperations] }

/** For modules of the old shape. */
export const wikiOf =
  (platform: Platform) =>
  (owner: WikiOwner, { make }: { make: boolean }): Promise<RepositoryRow | null> =>
    make ? ensureWiki(platform, owner) : findWiki(platform, owner)
