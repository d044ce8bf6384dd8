import type { Platform } from '../../../platform/index.ts'
import type { Reason } from '../telling/decide.ts'
import type { Occasion } from '../telling/occasion.ts'
import type { Subject } from '../telling/recipients.ts'

/** The names under which clients of other servers know the headers, and our own. */
const families = ['X-GitLab', 'X-Fennec', 'X-Service'] as const

const reasonNames: Record<Reason, string> = {
  ...{ mentioned: 'mentioned', subscribed: 'subscribed', concerned: 'own_activity', author: 'author' },
  ...{ assigned: 'assigned', review: 'review_requested', commented: 'commented', watching: 'watching' },
  custom: 'custom',
}

/** Header words are ASCII: paths of projects are, and nothing else of users is in them. */
const ascii = (text: string) => text.replace(/[^\x21-\x7e]/g, '-')

/** The headers by which mail programs filter and unsubscribe (RFC 2369, RFC 2919, RFC 8058). */
export function headersOf(
  { externalUrl }: Platform,
  { type, noteId }: Occasion,
  { project, shown }: Subject,
  { reason, unsubscribe }: { reason: Reason; unsubscribe: string },
): Record<string, string> {
  const { host, hostname } = new URL(externalUrl)
  const facts: [name: string, value: string][] = [
    ['Project', ascii(project.path)],
    ['Project-Id', String(project.id)],
    ['Project-Path', ascii(project.full_path)],
    [`${type}-ID`, String(shown.id)],
    ...(shown.iid === null ? [] : ([[`${type}-IID`, String(shown.iid)]] as [string, string][])),
    ['NotificationReason', reasonNames[reason]],
    ...(noteId === undefined ? [] : ([['Note-ID', String(noteId)]] as [string, string][])),
  ]
  const label = ascii(project.full_path).split('/').reverse().join('.')
  return {
    ...Object.fromEntries(families.flatMap((family) => facts.map(([name, value]) => [`${family}-${name}`, value]))),
    'List-Id': `${ascii(project.full_path)} <${project.id}.${label}.${hostname}>`,
    'List-Unsubscribe': `<${unsubscribe}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'X-Fennec-Host': host,
    Precedence: 'list',
  }
}
