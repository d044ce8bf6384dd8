import { type Database, openDatabase } from '../infra/database/index.ts'
import { migrations } from '../migrations/index.ts'
import { configured, fail } from './configured.ts'

/** Runs a task with the database that the settings name. A database that does not open ends the command with one line. */
export async function withDatabase<T>(task: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url: configured().databaseUrl, migrations }).catch((error) =>
    fail(error.message),
  )
  try {
    return await task(database)
  } finally {
    await database.close()
  }
}
