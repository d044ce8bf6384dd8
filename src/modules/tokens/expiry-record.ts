import { dayOf } from '../../api/index.ts'
import { type Job, react } from '../../platform/index.ts'
import { anyExpired, recordExpired } from './store/expired.ts'

const daySeconds = 86_400
/** 01:00 UTC. */
const offsetSeconds = 3600
const portion = 100

/** The daily job that records the expiry of access tokens; they are refused from midnight, also without it (contract 20 R4). */
export const recordExpiry: Job<null> = {
  kind: 'access_tokens.record_expiry',
  queue: 'maintenance',
  every: { seconds: daySeconds, offsetSeconds },
  when: ({ clock }) => anyExpired(dayOf(clock.now())),
  async run(platform, _, { signal }) {
    const { database, clock } = platform
    const today = dayOf(clock.now())
    for (let count = portion; count === portion; ) {
      signal.throwIfAborted()
      count = await database.write(async (tx) => {
        const expired = await recordExpired(tx, today, portion)
        for (const { id, user_id: userId } of expired) {
          await react(platform, tx, 'access_token.expired', { tokenId: id, userId })
        }
        return expired.length
      })
    }
  },
}
