import { buildSenders } from './builds.ts'
import { chatSenders } from './chats.ts'
import { messageOf } from './message.ts'
import type { Sending, Sent } from './sending.ts'

/** The requests of an integration for an event; none where it does not send events of this kind. */
export function sendingsOf(slug: string, sent: Sent): readonly Sending[] {
  const [chat, build] = [chatSenders[slug], buildSenders[slug]]
  if (build) return build(sent)
  const message = chat ? messageOf(sent.trigger, sent.payload) : null
  return chat && message ? chat({ ...sent, message }) : []
}
