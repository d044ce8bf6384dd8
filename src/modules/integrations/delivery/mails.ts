import { type Mail, type Platform, sendMails, sendsMail } from '../../../platform/index.ts'
import { usersByIds } from '../../users/index.ts'
import { plain, written } from './markup.ts'
import { type Message, messageOf } from './message.ts'
import type { EventPayload } from './payload.ts'
import { type Sent, textOf } from './sending.ts'

/** Addresses of one integration to which mail is sent. */
const mostRecipients = 750

/** The addresses of a list that is separated by blanks, commas or semicolons. */
export function recipientsIn(list: string): string[] {
  const given = list
    .split(/[\s,;]+/)
    .filter((address) => /^[^\s<>"@\p{Cc}]{1,64}@[^\s<>"@\p{Cc}]{1,190}$/u.test(address))
  return [...new Set(given)].slice(0, mostRecipients)
}

/** The files that a push changes, as far as its payload names them. */
function filesOf({ commits = [] }: EventPayload): string[] {
  const kinds = ['added', 'modified', 'removed'] as const
  return commits.flatMap((commit) => kinds.flatMap((kind) => (commit[kind] ?? []).map((path) => `  ${kind}: ${path}`)))
}

const longestList = 500

function linesOf(sent: Sent, message: Message): string[] {
  const links = message.sentence.flatMap((part) => (typeof part === 'string' ? [] : part.url))
  const files = sent.values.disable_diffs === true ? [] : filesOf(sent.payload).slice(0, longestList)
  return [written(message.sentence, plain), message.detail, files.join('\n'), links.join('\n')]
}

const subjectOf = (sent: Sent, message: Message) => {
  const { name } = message.project
  const subject =
    sent.trigger === 'pipeline' ? written(message.sentence, plain) : `[${message.title}] ${message.detail}`
  return `${name} | ${subject.split('\n')[0] ?? ''}`.slice(0, 200)
}

/** The address of the user who ran a pipeline, where the integration adds it. */
async function pusherOf({ database }: Platform, { values, payload }: Sent): Promise<string[]> {
  const id = payload.user?.id
  if (values.add_pusher !== true || id === undefined) return []
  const user = (await usersByIds(database.read, [id])).get(id)
  return user && user.state === 'active' && user.confirmed_at !== null ? [user.email] : []
}

const told = new WeakSet<object>()

/** Sends the mail of an event to each recipient, whom the others do not see. Without a mail server nothing is sent, which is logged once. */
export async function mailEvent(platform: Platform, sent: Sent): Promise<void> {
  const { database, log } = platform
  if (!sendsMail(platform)) {
    if (!told.has(database)) log.warn('integrations send no mail: there is no mail server')
    told.add(database)
    return
  }
  const message = messageOf(sent.trigger, sent.payload)
  const to = [...new Set([...recipientsIn(textOf(sent, 'recipients')), ...(await pusherOf(platform, sent))])]
  if (!message || to.length === 0) return
  const text = linesOf(sent, message).filter((line) => line !== '')
  const content: Omit<Mail, 'to'> = { subject: subjectOf(sent, message), text: text.join('\n\n') }
  const mails = to.map((address) => ({ to: address, ...content }))
  await database.write((tx) => sendMails(platform, tx, mails))
}
