export type { Database, Reader, Tx } from './database.ts'
export type { Dialect } from './dialect.ts'
export { textDigest } from './digest.ts'
export { type Migration, UnknownSchemaError } from './migrator.ts'
export { openDatabase } from './open.ts'
export {
  acquireLock,
  anyContains,
  contains,
  countRows,
  escapeLike,
  isAnyOf,
  type Json,
  jsonText,
  now,
  portions,
  portionsOf,
  within,
  withinLower,
} from './portable.ts'
export { prepareQuery } from './prepared.ts'
export { DatabaseInUse } from './sqlite/lock.ts'
export {
  insertSearched,
  type SearchedColumn,
  searchFor,
  searchTable,
  updateSearched,
} from './substring-search.ts'
export type { Tables } from './tables.ts'
export { findsText, textIndex } from './text-index.ts'
export { DatabaseUnavailable } from './unavailable.ts'
export { isUniqueViolation } from './violations.ts'
