import { migrations } from '../../migrations/index.ts'
import { makeFreshDatabase } from '../../testing/database.ts'
import { type ManualClock, manualClock } from '../clock/index.ts'
import type { Database } from '../database/index.ts'
import { openDatabase } from '../database/index.ts'
import { createJobs, type Jobs, type JobsOptions } from './index.ts'

/** Start time of the manual clocks. */
export const START = '2026-03-01T12:00:00.000Z'

/** Options of `expect.poll` for a loaded machine. */
export const patiently = { timeout: 25_000, interval: 5 }

/** A log that stores its entries. */
interface RecordingLog {
  entries: { level: 'warn' | 'error'; fields: object; message: string }[]
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An empty log. */
export function recordingLog(): RecordingLog {
  const entries: RecordingLog['entries'] = []
  return {
    entries,
    warn: (fields, message) => entries.push({ level: 'warn', fields, message }),
    error: (fields, message) => entries.push({ level: 'error', fields, message }),
  }
}

/** A database and simulated processes on it, each with its own connection, clock and queue. */
interface Processes extends AsyncDisposable {
  url: string
  open(
    options?: Partial<JobsOptions>,
  ): Promise<{ jobs: Jobs; database: Database; clock: ManualClock; log: RecordingLog }>
}

/** Creates a database without processes. */
export async function processes(): Promise<Processes> {
  const fresh = await makeFreshDatabase()
  const opened: { jobs: Jobs; database: Database }[] = []
  return {
    url: fresh.url,
    async open(options = {}) {
      const database = await openDatabase({ url: fresh.url, migrations, durable: false })
      const clock = manualClock({ start: START })
      const log = recordingLog()
      const owner = `process-${opened.length}`
      const defaults = { database, clock, log, owner, leaseSeconds: 60, concurrency: 4, random: () => 0 }
      const jobs = createJobs({ ...defaults, ...options })
      opened.push({ jobs, database })
      return { jobs, database, clock: (options.clock as ManualClock | undefined) ?? clock, log }
    },
    async [Symbol.asyncDispose]() {
      for (const { database } of opened) await database.close()
      await fresh.remove()
    },
  }
}

/** A promise that the test resolves. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
