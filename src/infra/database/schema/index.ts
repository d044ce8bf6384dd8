export { t } from './column.ts'
export { addColumn, addIndexes, createTables } from './ddl.ts'
export { indexesOf, unindexedReferences } from './indexes.ts'
export { rows } from './rows.ts'
export {
  type AnyTable,
  type ChangesOf,
  type NewRowOf,
  partial,
  type RowOf,
  Table,
  type TableOf,
  type TablesOf,
  table,
} from './table.ts'
export { forEachRow, type Trigger } from './triggers.ts'
