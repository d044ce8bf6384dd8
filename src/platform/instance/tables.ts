/** What concerns the installation as a whole. */
import { type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** What all nodes share, by name: ids of the secret key, of the folders and of the SSH host keys. */
export const instanceFacts = table('instance_facts', {
  name: t.text().primaryKey(),
  value: t.text(),
})
export type InstanceFactsTable = TableOf<typeof instanceFacts>

/** Backups that were completed, by the command that wrote them. */
export const backups = table('backups', {
  id: t.id(),
  /** Where the file was written. It may be elsewhere since. */
  path: t.text(),
  size_bytes: t.bigint(),
  /** Whether it needs an earlier backup. */
  is_incremental: t.boolean(),
  /** The moment whose state it has. */
  started_at: t.time(),
  finished_at: t.time(),
})
export type BackupRow = RowOf<typeof backups>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof instanceFacts | typeof backups> {}
}
