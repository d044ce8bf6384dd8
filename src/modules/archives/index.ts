export { type Archives, type ArchivesNeeds, createArchives } from './archives.ts'
export { archiveOperations } from './operations.ts'
