import { fileURLToPath } from 'node:url'
import type { Migration } from '../infra/database/index.ts'
import { afterFirstRelease } from './0002.ts'
import { checksums } from './checksums.ts'
import { frozen } from './frozen.ts'

/**
 * The migrations, in order (design §4: forward only). The statements of a released one stay as they are; `checksums.ts` has what
 * each of them does. `tests/upgrades` compares what they lead to with the tables that are declared (decision 0026).
 */
export const migrations: readonly Migration[] = [
  { name: '0001', summary: 'all tables of 0.1.0', checksums: checksums['0001'], up: frozen('0001') },
  { name: '0002', summary: 'what follows 0.1.0', checksums: checksums['0002'], up: afterFirstRelease },
]

/** An empty SQLite database that has all of them. `npm run build` makes it for the package; the sources have none. */
export const emptyDatabase: string = fileURLToPath(new URL('./empty.sqlite', import.meta.url))
