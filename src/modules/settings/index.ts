// The first line is for modules of the old shape; it goes with the last of them.
export * from '../../platform/settings/index.ts'
export { settingsOperations } from './operations.ts'
export { schemaOf } from './present.ts'
