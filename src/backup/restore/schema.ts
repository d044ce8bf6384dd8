import { expectTables, openDatabase, type TableDescription, UnknownTable } from '../../infra/database/index.ts'
import { migrations } from '../../migrations/index.ts'
import type { Header } from '../format/lines.ts'
import type { BackupFile } from '../format/reader.ts'
import { BackupRefused } from '../format/refused.ts'

/** The migrations that the database of a backup had. */
export function migrationsOf({ migrations: names }: Header) {
  const applied = new Set(names)
  return migrations.filter(({ name }) => applied.has(name))
}

/** Checks that this release knows the schema of a backup. @throws BackupRefused */
export function expectKnownSchema({ migrations: names }: Header): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    const names = unknown.join(', ')
    throw new BackupRefused(
      `a newer release, or a version that was never released, made the backup (unknown migrations: ${names})`,
    )
  }
}

/** The tables of a backup. */
export async function tablesIn(backup: BackupFile): Promise<TableDescription[]> {
  const tables: TableDescription[] = []
  for await (const line of backup.lines()) {
    if (line.kind === 'table') tables.push({ name: line.name, columns: line.columns, lastId: line.lastId })
    if (line.kind === 'repository' || line.kind === 'object') break
  }
  return tables
}

/** Checks that the tables of a backup are those of its schema, in a database in memory. @throws BackupRefused */
export async function expectKnownTables(backup: BackupFile): Promise<void> {
  const tables = await tablesIn(backup)
  const memory = await openDatabase({
    url: 'sqlite::memory:',
    migrations: migrationsOf(backup.header),
    durable: false,
  })
  try {
    await memory.write((tx) => expectTables(tx, tables))
  } catch (error) {
    throw error instanceof UnknownTable ? new BackupRefused(`${backup.path} cannot be used: ${error.message}`) : error
  } finally {
    await memory.close()
  }
}
