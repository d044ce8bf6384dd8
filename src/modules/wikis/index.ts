export { wikiBranchRule, wikiListener } from './gate.ts'
export { createWikiModule, type WikiModule, type WikiModuleNeeds } from './module.ts'
export type { WikiOwner } from './repository.ts'
export { wikiSizes } from './wiki-sizes.ts'
