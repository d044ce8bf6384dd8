import type { SendMailOptions, Transporter } from 'nodemailer'

/** A mail of plain text to one address. */
export type Mail = {
  /** An address, without a name. */
  to: string
  subject: string
  text: string
}

/** The server will never accept this mail; others may be accepted. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

/** Delivers mail to one SMTP server. */
export type Mailer = {
  /**
   * Delivers one mail.
   * @param id distinguishes the mail; receivers recognise a second delivery by it
   * @throws MailRefused when the server refuses the mail for good; Error when a later attempt may succeed
   */
  deliver(mail: Mail, id: string): Promise<void>
}

type MailerOptions = {
  /** `smtp://user:password@host:port`, or `smtps://…` for TLS from the first byte; parameters are those of nodemailer. */
  url: string
  /** Address of the sender: `a@b.test`, or `Name <a@b.test>`. */
  from: string
}

const connectTimeoutMs = 10_000
const idleTimeoutMs = 30_000

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\./.test(host)

/** Opens no connection. A password is sent over TLS only, unless the server is on this machine. */
async function openTransport({ url }: MailerOptions): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { username, hostname } = new URL(url)
  return createTransport({
    url,
    requireTLS: username !== '' && !isLoopback(hostname),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: idleTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Whether an answer of the server is about this mail and final. A refused log-in is about the settings, and may be corrected. */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode === 0 || responseCode >= 500)
}

/** Creates a mailer. The library is loaded for the first mail. */
export function createMailer(options: MailerOptions): Mailer {
  let opening: Promise<Transporter> | undefined
  return {
    async deliver({ to, subject, text }, id) {
      opening ??= openTransport(options)
      const transport = await opening
      const domain = options.from.replace(/>\s*$/, '').split('@').at(-1)
      const message: SendMailOptions = {
        from: options.from,
        // Not a text, which would be read as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${domain}>`,
        // Automatic replies of absent people are suppressed (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
      }
      try {
        await transport.sendMail(message)
      } catch (error) {
        if (isFinal(error)) throw new MailRefused((error as Error).message)
        throw error
      }
    },
  }
}
