import { checkSpam, header, type RequestInfo, type SpamLog, type UserActor } from '../../api/index.ts'
import { now } from '../../infra/database/index.ts'
import type { Job, Platform } from '../../platform/index.ts'
import { captchaOf } from './captcha.ts'
import { checkersOf, type Submission, verdictOf } from './checkers.ts'
import { deleteSpamLogsBefore, insertSpamLog, useSpamLog } from './store.ts'

/** What is about to be published, and by which request. */
export type Published = Pick<Submission, 'kind' | 'action' | 'title' | 'text'> & {
  actor: UserActor
  request: RequestInfo
}

const daySeconds = 86_400
const retentionMs = 30 * daySeconds * 1000

/** The client's user agent and address, as they are stored. */
export function senderOf(request: RequestInfo): { user_agent: string; ip_address: string } {
  const text = (header(request, 'user-agent') ?? '').replaceAll('\u0000', '')
  return { user_agent: text.slice(0, 1_024).toWellFormed(), ip_address: request.ip }
}

function logOf({ database, clock }: Platform, title: string, request: RequestInfo): SpamLog {
  return {
    record: ({ userId, kind, solvable }) =>
      database.write((tx) => {
        const entry = { user_id: userId, kind, solvable, title: title.slice(0, 255).toWellFormed() }
        return insertSpamLog(tx, { ...entry, ...senderOf(request), created_at: now(clock) })
      }),
    verify: (entry) => database.write((tx) => useSpamLog(tx, entry)),
  }
}

/**
 * Asks the spam checkers about a text that is about to be published, by the CAPTCHA protocol (contract 00, "Spam and CAPTCHA").
 * Does nothing while no checker is on.
 * @throws ApiError 400 for spam; 409 when the caller may solve a CAPTCHA
 */
export async function checkPublished(platform: Platform, { actor, request, ...published }: Published): Promise<void> {
  const settings = await platform.settings.current()
  if (checkersOf(settings).length === 0) return
  const { user_agent: userAgent, ip_address: ipAddress } = senderOf(request)
  const user = { id: actor.userId, username: actor.username }
  await checkSpam({
    kind: published.kind,
    userId: actor.userId,
    request,
    verdict: () => verdictOf(platform, settings, { ...published, user, userAgent, ipAddress }),
    captcha: captchaOf(platform, settings),
    log: logOf(platform, published.title, request),
  })
}

/** Deletes entries of the spam log after 30 days. */
export const pruneSpamLogs: Job<null> = {
  kind: 'spam_logs.prune',
  every: { seconds: daySeconds },
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - retentionMs).toISOString()
    await database.write((tx) => deleteSpamLogsBefore(tx, before))
  },
}
