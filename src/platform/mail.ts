import { portionsOf, type Tx } from '../infra/database/index.ts'
import { createMailer, type Mail, type Mailer, MailRefused } from '../infra/mail/index.ts'
import { escapeHtml } from '../infra/markdown/index.ts'
import { enqueueAll, type Job } from './jobs/jobs.ts'
import { requireWorker } from './jobs/workers.ts'
import { type Platform, perPlatform } from './platform.ts'

declare module './platform.ts' {
  interface Questions {
    /** The lines that stand above and below the text of every mail; empty for none. */
    'mail.lines'(): Promise<{ header: string; footer: string }>
  }
}

export type { Mail } from '../infra/mail/index.ts'

const jobsAtOnce = 200

/** About 13 hours from the first attempt to the last. */
const attempts = 18

/** Mails may contain links that sign in, so they are not stored in the clear. */
const context = 'mail'

const mailers = perPlatform<{ mailer?: Mailer }>(() => ({}))

/** Whether this server sends mail: `FENNEC_SMTP_URL` is set. */
export const sendsMail = ({ config }: Platform): boolean => config.smtpUrl !== undefined

function mailerOf(platform: Platform): Mailer | undefined {
  const { smtpUrl: url, mailFrom } = platform.config
  if (url === undefined) return undefined
  const state = mailers(platform)
  const { hostname } = new URL(platform.externalUrl)
  state.mailer ??= createMailer({ url, from: mailFrom ?? `Fennec <fennec@${hostname}>` })
  return state.mailer
}

/** Delivers one mail. A refused one is logged without its text. */
export const deliverMail: Job<{ sealed: string }> = {
  kind: 'mail.deliver',
  queue: 'mail',
  maxAttempts: attempts,
  async run(platform, { sealed }, { jobId }) {
    await requireWorker(platform, 'mail_worker')
    const mail: Mail = JSON.parse((await platform.secrets.sealer()).open(sealed, context))
    await deliverNow(platform, mail, jobId)
  },
}

/** A mail with the lines of the instance above and below its text. */
async function betweenLines(platform: Platform, mail: Mail): Promise<Mail> {
  const { header, footer } = await platform.ports['mail.lines'](platform)
  const paragraph = (line: string) => (line === '' ? '' : `<p>${escapeHtml(line)}</p>`)
  return {
    ...mail,
    text: [header, mail.text, footer].filter(Boolean).join('\n\n'),
    ...(mail.html !== undefined && {
      html: mail.html.replace(/<body>|<\/body>/g, (tag) =>
        tag === '<body>' ? `${tag}${paragraph(header)}` : `${paragraph(footer)}${tag}`,
      ),
    }),
  }
}

/**
 * Delivers one mail at once, in a job of the queue of mails that writes it when it runs. A refused one is logged without its text.
 * @param jobId distinguishes the mail unless it has a thread
 * @throws Error when a later attempt may succeed
 */
export async function deliverNow(platform: Platform, mail: Mail, jobId: number): Promise<void> {
  try {
    await mailerOf(platform)?.deliver(await betweenLines(platform, mail), `mail-${jobId}`)
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    platform.log.warn({ job: jobId, to: mail.to, err: error }, 'a mail was refused')
  }
}

/** How the jobs of mails run: in a queue of their own, for about 13 hours while the mail server fails. */
export const mailJobs = { queue: 'mail', maxAttempts: attempts } as const

/**
 * Sends mails in the background, when the caller's transaction is committed; a job each, retried for some hours while the mail
 * server fails. Nothing is stored when the server has no mail server.
 */
export async function sendMails(platform: Platform, tx: Tx, mails: readonly Mail[]): Promise<void> {
  if (!sendsMail(platform)) return
  const sealer = await platform.secrets.sealer()
  for (const part of portionsOf(mails, jobsAtOnce)) {
    const payloads = part.map((mail) => ({ sealed: sealer.seal(JSON.stringify(mail), context) }))
    await enqueueAll(platform, tx, deliverMail, payloads)
  }
}

/** Sends one mail in the background, as `sendMails`. */
export const sendMail = (platform: Platform, tx: Tx, mail: Mail): Promise<void> => sendMails(platform, tx, [mail])
