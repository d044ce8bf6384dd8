export type { Database, Reader, Tx } from './database.ts'
export type { Dialect } from './dialect.ts'
export * from './lists/index.ts'
export { type Held, LockHeld } from './locks.ts'
export {
  checksumOf,
  DatabaseNotEmpty,
  type Migration,
  statementsIn,
  statementsOf,
  UnknownSchemaError,
} from './migrator.ts'
export {
  type MissingMigration,
  makeDurable,
  missingMigrations,
  openDatabase,
  openForRestore,
  type RestoredDatabase,
} from './open.ts'
export {
  acquireLock,
  anyContains,
  claim,
  compared,
  contains,
  countRows,
  escapeLike,
  isAnyOf,
  isFound,
  isShared,
  jsonHasAll,
  jsonText,
  lockClause,
  locked,
  lockIsFree,
  neverTrue,
  now,
  plannedForValues,
  portions,
  portionsOf,
  smaller,
  sortedBy,
  textDigest,
  typeOf,
  unindexed,
  within,
  withinLower,
  withinPairs,
} from './portable.ts'
export { prepareQuery, prepareQueryOfIds } from './prepared.ts'
export {
  type AnyTable,
  addColumn,
  addIndexes,
  type ChangesOf,
  createTables,
  forEachRow,
  indexesOf,
  type NewRowOf,
  partial,
  type RowOf,
  rows,
  Table,
  type TableOf,
  type TablesOf,
  type Trigger,
  t,
  table,
  unindexedReferences,
} from './schema/index.ts'
export { insertSearched, type SearchedColumn, searchFor, updateSearched } from './search/substring-search.ts'
export { findsText, shortestTrigram, textIndex } from './search/text-index.ts'
export { DatabaseInUse } from './sqlite/lock.ts'
export { followedUntil, isReplica, isServed } from './standing.ts'
export type { Tables } from './tables.ts'
export { type ColumnKind, describeTables, migrationNames, type TableDescription } from './transfer/describe.ts'
export {
  continueIds,
  expectTables,
  loadRows,
  UnknownTable,
  withoutForeignKeys,
  withoutTriggers,
} from './transfer/load-rows.ts'
export { readRows } from './transfer/read-rows.ts'
export { DatabaseFull, DatabaseUnavailable } from './unavailable.ts'
export { isUniqueViolation, ReferenceViolation } from './violations.ts'
