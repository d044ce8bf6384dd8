import type { SendMailOptions, Transporter } from 'nodemailer'

/** A mail to one address. */
export type Mail = {
  /** An address, without a name. */
  to: string
  subject: string
  text: string
  /** The same as HTML. */
  html?: string
  /** Stands before the address of the sender. */
  fromName?: string
  /** Further headers. Line breaks in values become spaces. */
  headers?: Readonly<Record<string, string>>
  /** Where it stands among other mails. Each is the part of a `Message-ID` before the `@`, in letters, digits, `.`, `-` and `_`. */
  thread?: { id: string; answers?: string }
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

/** Header values are one line: a line break would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim()

const oneLineEach = (headers: Mail['headers'] = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value)]))

const answerTo = (messageId: string) => ({ inReplyTo: messageId, references: messageId })

/** The address in `a@b.test` or `Name <a@b.test>`. */
const addressIn = (from: string) => /<([^<>]*)>\s*$/.exec(from)?.[1] ?? from.trim()

/** Creates a mailer. The library is loaded for the first mail. */
export function createMailer(options: MailerOptions): Mailer {
  let opening: Promise<Transporter> | undefined
  return {
    async deliver({ to, subject, text, html, fromName, headers, thread }, id) {
      opening ??= openTransport(options)
      const transport = await opening
      const domain = options.from.replace(/>\s*$/, '').split('@').at(-1)
      const messageId = (name: string) => `<${name}@${domain}>`
      const answered = thread?.answers === undefined ? {} : answerTo(messageId(thread.answers))
      const message: SendMailOptions = {
        from: fromName === undefined ? options.from : { name: oneLine(fromName), address: addressIn(options.from) },
        // Not a text, which would be read as a list of addresses.
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
        ...(html !== undefined && { html }),
        messageId: messageId(thread?.id ?? id),
        ...answered,
        // Automatic replies of absent people are suppressed (RFC 3834).
        headers: { ...oneLineEach(headers), 'Auto-Submitted': 'auto-generated' },
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
