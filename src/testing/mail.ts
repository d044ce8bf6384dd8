import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. */
export type ReceivedMail = {
  from: string
  to: string[]
  /** By lower-case name, decoded. */
  headers: Record<string, string>
  text: string
  /** The same as HTML; empty where there is none. */
  html: string
}

/** An SMTP server for tests. */
export type MailServer = AsyncDisposable & {
  /** For `FENNEC_SMTP_URL`. */
  url: string
  received: ReceivedMail[]
  /** Answers of the next attempts to name a recipient, by their code; after them mail is accepted. */
  refusals: number[]
}

/** Decodes the words of a header (RFC 2047). */
function decodedHeader(value: string): string {
  const joined = value.replace(/\?=\s+=\?/g, '?==?')
  return joined.replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_all, encoding: string, word: string) =>
    encoding.toLowerCase() === 'b'
      ? Buffer.from(word, 'base64').toString()
      : fromQuotedPrintable(word.replaceAll('_', ' ')),
  )
}

function fromQuotedPrintable(encoded: string): string {
  const bytes = encoded.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16))
  })
  return Buffer.from(bytes, 'latin1').toString()
}

type Part = Pick<ReceivedMail, 'headers' | 'text'>

/** Reads a mail of text, or of text and HTML. */
function parseMail(raw: string): Omit<ReceivedMail, 'from' | 'to'> {
  const whole = parsePart(raw)
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/.exec(whole.headers['content-type'] ?? '')?.[1]
  if (boundary === undefined) return { ...whole, html: '' }
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 2)
  const [text, html] = body
    .split(`\r\n--${boundary}`)
    .slice(1)
    .map((part) => parsePart(part.replace(/^\r\n/, '')))
  return { headers: whole.headers, text: text?.text ?? '', html: html?.text ?? '' }
}

function parsePart(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = decodedHeader(line.slice(colon + 1).trim())
  }
  const body = raw.slice(end + 4)
  const decoders: Record<string, (encoded: string) => string> = {
    base64: (encoded) => Buffer.from(encoded, 'base64').toString(),
    'quoted-printable': fromQuotedPrintable,
  }
  const decode = decoders[headers['content-transfer-encoding'] ?? ''] ?? String
  return { headers, text: decode(body).replaceAll('\r\n', '\n').trimEnd() }
}

/** Starts an SMTP server on a free port of this machine. @param credentials the log-in that it requires; none by default */
export async function startMailServer(credentials?: { user: string; password: string }): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const refusals: number[] = []
  const server = new SMTPServer({
    authOptional: !credentials,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      const isRight = username === credentials?.user && password === credentials?.password
      done(isRight ? null : new Error('refused'), { user: username })
    },
    onRcptTo(_address, _session, done) {
      const responseCode = refusals.shift()
      done(responseCode ? Object.assign(new Error('refused'), { responseCode }) : null)
    },
    onData(stream, { envelope }, done) {
      const accept = (raw: string) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...parseMail(raw) })
        done()
      }
      text(stream).then(accept, done)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const login = credentials
    ? `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`
    : ''
  return {
    url: `smtp://${login}127.0.0.1:${port}`,
    received,
    refusals,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
