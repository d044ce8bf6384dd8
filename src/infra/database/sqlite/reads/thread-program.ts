/** Runs in a thread: reads from the database through a connection of its own. */
import { constants, setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { serveTasks } from '../../../threads/index.ts'
import { statementCache, valuesOf } from '../statements.ts'
import type { Read, ReadResult } from './threads.ts'

/** How long SQLite waits for a lock; in WAL mode, only while another process repairs the log. */
const busyTimeoutMs = 5_000

/** The event loop comes first where processors are short. On Linux, 0 is the thread; elsewhere, the process. */
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

serveTasks<string, Read, ReadResult>((path) => {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  handle.exec('pragma temp_store = memory; pragma cache_size = -8000')
  const statements = statementCache(handle)
  return ({ text, values }) => {
    const { statement } = statements.prepare(text)
    const started = performance.now()
    const rows = valuesOf(statement, values)
    return { rows, ms: performance.now() - started }
  }
})
