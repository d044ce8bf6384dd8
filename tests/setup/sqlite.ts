import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareSqliteTemplate } from '../../src/testing/database.ts'

/**
 * Makes a SQLite database with the current schema, and sets `FENNEC_TEST_SQLITE_TEMPLATE` to its path: the databases of the suite
 * are copies of it. Creating the tables takes longer than most tests do.
 */
export default async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'fennec-template-'))
  const path = join(folder, 'fennec.db')
  await prepareSqliteTemplate(path)
  process.env.FENNEC_TEST_SQLITE_TEMPLATE = path
  return () => {
    delete process.env.FENNEC_TEST_SQLITE_TEMPLATE
    rmSync(folder, { recursive: true, force: true })
  }
}
