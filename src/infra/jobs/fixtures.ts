import { migrations } from '../../schema/index.ts'
import { makeFreshDatabase } from '../../testing/database.ts'
import { type ManualClock, manualClock } from '../clock/index.ts'
import type { Database } from '../database/index.ts'
import { openDatabase } from '../database/index.ts'
import { createJobs, type Jobs, type JobsOptions } from './index.ts'

/** When the clocks of these tests begin. */
export const START = '2026-03-01T12:00:00.000Z'

/** For `expect.poll`: how long a loaded machine may take for what must happen. */
export const patiently = { timeout: 25_000, interval: 5 }

/** A log that is remembered instead of written. */
export interface RememberedLog {
  entries: { level: 'warn' | 'error'; fields: object; message: string }[]
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An empty log. */
export function rememberedLog(): RememberedLog {
  const entries: RememberedLog['entries'] = []
  return {
    entries,
    warn: (fields, message) => entries.push({ level: 'warn', fields, message }),
    error: (fields, message) => entries.push({ level: 'error', fields, message }),
  }
}

/** One database, and as many processes on it as a test asks for: each has a connection, a clock and a queue of its own. */
export interface Processes extends AsyncDisposable {
  url: string
  open(
    options?: Partial<JobsOptions>,
  ): Promise<{ jobs: Jobs; database: Database; clock: ManualClock; log: RememberedLog }>
}

/** A fresh database without any process on it yet. */
export async function processes(): Promise<Processes> {
  const fresh = await makeFreshDatabase()
  const opened: { jobs: Jobs; database: Database }[] = []
  return {
    url: fresh.url,
    async open(options = {}) {
      const database = await openDatabase({ url: fresh.url, migrations, durable: false })
      const clock = manualClock({ start: START })
      const log = rememberedLog()
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

/** A promise with its handle outside. */
export function gate(): { opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
