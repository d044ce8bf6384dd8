import { dayOf } from '../../../api/index.ts'
import { type Job, type Mail, type Platform, sendMails } from '../../../platform/index.ts'
import { projectById } from '../../projects/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { alertUrl } from '../alerts/present.ts'
import { alertById } from '../incidents/store.ts'
import { cutText } from '../payloads/text.ts'
import type { AlertRow } from '../tables.ts'
import { maintainerIds } from './store.ts'

/** What a mail reports: a new alert, or a recovery. */
type Occasion = 'triggered' | 'resolved'

/** Longest values in a mail, in characters. */
const longestTitle = 200
const longestText = 10_000

const readsMail = ({ state, bot_kind, confirmed_at, removed_at }: UserRow): boolean =>
  state === 'active' && bot_kind === null && confirmed_at !== null && removed_at === null

function contentOf(alert: AlertRow, occasion: Occasion, fullPath: string, url: string): Pick<Mail, 'subject' | 'text'> {
  const words = {
    triggered: ['Alert', 'An alert was triggered'],
    resolved: ['Resolved alert', 'An alert was resolved'],
  }
  const [kind, event] = words[occasion]
  const lines: [label: string, text: string | null][] = [
    ['Title', alert.title],
    ['Severity', alert.severity],
    ['Start time', alert.started_at],
    ['End time', occasion === 'resolved' ? alert.ended_at : null],
    ['Service', alert.service],
    ['Monitoring tool', alert.monitoring_tool],
    ['Hosts', alert.hosts.join(', ')],
    ['Environment', alert.environment_name],
    ['Runbook', alert.runbook],
    ['Description', alert.description],
  ]
  const shown = lines.flatMap(([label, text]) => (text ? [`${label}: ${cutText(text, longestText)}`] : []))
  return {
    subject: `${fullPath} | ${kind}: ${cutText(alert.title, longestTitle)}`,
    text: [`${event} in ${fullPath}.`, shown.join('\n'), url].join('\n\n'),
  }
}

/** Sends the mails about an alert to the owners and maintainers of its project (contract 07, `send_email`). */
async function mailAlert(platform: Platform, alertId: number, occasion: Occasion): Promise<void> {
  const { database, externalUrl, clock } = platform
  const db = database.read
  const alert = await alertById(db, alertId)
  const project = alert && (await projectById(db, alert.project_id))
  if (!project || (alert.status !== 'triggered' && alert.status !== 'resolved')) return
  const ids = await maintainerIds(db, project, dayOf(clock.now()))
  const users = [...(await usersByIds(db, ids)).values()].filter(readsMail)
  const content = contentOf(alert, occasion, project.full_path, alertUrl(externalUrl, project.full_path, alert.iid))
  await database.write((tx) =>
    sendMails(
      platform,
      tx,
      users.map(({ email: to }) => ({ to, ...content })),
    ),
  )
}

/** Reports a new alert, or a recovery, by mail. */
export const mailAlertJob: Job<{ alertId: number; occasion: Occasion }> = {
  kind: 'alerts.mail',
  run: (platform, { alertId, occasion }) => mailAlert(platform, alertId, occasion),
}
