import {
  continueIds,
  loadRows,
  type RestoredDatabase,
  type TableDescription,
  type Tx,
  withoutForeignKeys,
  withoutTriggers,
} from '../../infra/database/index.ts'
import { migrations } from '../../migrations/index.ts'
import { forgetBackups, forgetPlaces } from '../../platform/instance/index.ts'
import type { Progress } from '../progress.ts'
import { wholeOf } from './place.ts'
import { tablesIn } from './schema.ts'
import type { Sources } from './sources.ts'

async function loadTables(sources: Sources, tables: readonly TableDescription[], tx: Tx, progress: Progress) {
  let current: TableDescription | undefined
  for await (const line of sources.main.lines()) {
    if (line.kind === 'repository' || line.kind === 'object') break
    if (line.kind === 'table') {
      current = tables.find(({ name }) => name === line.name)
      progress.advance(1)
    }
    if (line.kind !== 'rows' || !current) continue
    const rows = (await wholeOf(sources.read(line))).toString('utf8')
    await loadRows(tx, current, rows.split('\n').slice(0, -1))
  }
}

/**
 * Fills the database, and ends the restore, in one transaction.
 * @param also is done in the same transaction, when the schema is that of this release
 */
export async function restoreRows(
  sources: Sources,
  database: RestoredDatabase,
  progress: Progress,
  also?: (tx: Tx) => Promise<void>,
): Promise<void> {
  const tables = await tablesIn(sources.main)
  await progress.step('database', tables.length)
  const load = async (tx: Tx) => {
    await withoutForeignKeys(tx, () => withoutTriggers(tx, () => loadTables(sources, tables, tx, progress)))
    for (const table of tables) await continueIds(tx, table)
    // The new place has its own. A backup of an older release has none recorded.
    const has = (name: string) => tables.some((table) => table.name === name)
    if (has('instance_facts')) await forgetPlaces(tx)
    if (has('backups')) await forgetBackups(tx)
  }
  await database.finish(migrations, load, also)
}
