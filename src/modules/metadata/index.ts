export { defaultVersion, metadataOperations } from './operations.ts'
