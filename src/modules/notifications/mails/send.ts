import { countRequest, isExceeded } from '../../../api/index.ts'
import { RunLater } from '../../../infra/jobs/index.ts'
import { deliverNow, type Job, mailJobs, type Platform } from '../../../platform/index.ts'
import { requireWorker } from '../../features/index.ts'
import { addressOf } from '../settings/settings.ts'
import { settingAt } from '../settings/store.ts'
import type { Occasion } from '../telling/occasion.ts'
import { recipientsAmong, subjectOf } from '../telling/recipients.ts'
import { unsubscribeUrl } from '../unsubscribing/unsubscribing.ts'
import { mailOf } from './content.ts'

/** A mail that waited longer, for its turn or for the mail server, says nothing new. */
const oldestMs = 86_400_000

/** Mails that one user is sent in an hour; the others wait for the next. */
const hourly = { name: 'notification_mails', requests: 200, periodSeconds: 3_600 }

type OneMail = { userId: number; runId: number; at: string; occasion: Occasion }

/** Puts a mail off while its user has been sent many. @throws RunLater */
async function waitForTurn(platform: Platform, userId: number): Promise<void> {
  const standing = await countRequest(platform, `${hourly.name}:${userId}`, hourly)
  if (!isExceeded(standing)) return
  throw new RunLater(Math.max(1, standing.resetsAtSeconds - standing.nowSeconds) * 1000)
}

/** Writes and sends one mail, if its user may still read what it shows and still wants it. */
async function send(platform: Platform, { userId, runId, at, occasion }: OneMail, jobId: number): Promise<void> {
  await requireWorker(platform, 'mail_worker')
  const { database, clock } = platform
  if (clock.now().getTime() - Date.parse(at) > oldestMs) return
  const subject = await subjectOf(platform, occasion)
  const [recipient] = subject ? await recipientsAmong(platform, occasion, subject, [userId]) : []
  if (!subject || !recipient) return
  await waitForTurn(platform, userId)
  const setting = await settingAt(database.read, userId, { kind: 'own' })
  const to = await addressOf(database.read, userId, setting?.notification_email ?? null)
  const { type, id } = occasion
  const from =
    type === 'Issue' || type === 'MergeRequest' ? { type, id } : { type: 'Project' as const, id: subject.project.id }
  const unsubscribe = await unsubscribeUrl(platform, { userId, ...from })
  const mail = await mailOf(platform, occasion, subject, { reason: recipient.reason, runId, unsubscribe })
  await deliverNow(platform, { to, ...mail }, jobId)
}

/**
 * One mail to one user. It runs at least once: when a process dies after the mail server has taken the mail and before the end of the
 * job is recorded, the mail is sent again, with the same `Message-ID`.
 */
export const mailJob: Job<OneMail> = {
  kind: 'notifications.mail',
  ...mailJobs,
  run: (platform, mail, { jobId }) => send(platform, mail, jobId),
}
