import type { RawBuilder } from 'kysely'
import { createTables, type Dialect, Table } from '../infra/database/index.ts'
import * as featureFlags from '../modules/feature-flags/tables.ts'
import * as jobScope from '../modules/projects/job-scope/tables.ts'
import * as secureFiles from '../modules/secure-files/tables.ts'

/** Modules whose tables are new. */
const added: readonly object[] = [featureFlags, jobScope, secureFiles]

/** What follows 0.1.0. Until its release it follows the declared tables (decision 0026). */
export function afterFirstRelease(dialect: Dialect): RawBuilder<unknown>[] {
  const tables = added.flatMap((owner) => Object.values(owner).filter((value) => value instanceof Table))
  return [...createTables(dialect, tables, true)]
}
