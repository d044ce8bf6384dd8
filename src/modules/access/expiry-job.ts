import { dayOf } from '../../api/index.ts'
import type { Reader, Tx } from '../../infra/database/index.ts'
import type { Job, Platform } from '../../platform/index.ts'

const daySeconds = 86_400
/** 00:10 UTC: what gives access counts as none from 00:00. */
const offsetSeconds = 600
const portion = 100

type Expiring<Row> = {
  /** Reads rows that have expired. */
  find(db: Reader, today: string, limit: number): Promise<Row[]>
  /** Ends one of them if it still has expired. */
  end(platform: Platform, tx: Tx, row: Row, today: string): Promise<void>
}

/** The daily job that ends memberships, invitations or shares that have expired, each in a transaction of its own (contract 21 R1). */
export function expiryJob<Row>(kind: string, { find, end }: Expiring<Row>): Job<null> {
  return {
    kind,
    queue: 'maintenance',
    every: { seconds: daySeconds, offsetSeconds },
    async run(platform, _, { signal }) {
      const { database, clock } = platform
      const today = dayOf(clock.now())
      for (;;) {
        const rows = await find(database.read, today, portion)
        for (const row of rows) {
          signal.throwIfAborted()
          await database.write((tx) => end(platform, tx, row, today))
        }
        if (rows.length < portion) return
      }
    },
  }
}
