import { createTables, type Migration } from '../infra/database/index.ts'
import { tables } from '../tables.ts'
import { checksums } from './checksums.ts'

/**
 * The migrations, in order (design §4: forward only). The first one creates all tables. Once it is released it is frozen like the
 * others: `checksums.ts` has what each of them does (decision 0026).
 */
export const migrations: readonly Migration[] = [
  { name: '0001', checksums: checksums['0001'], up: (dialect) => createTables(dialect, tables) },
]
