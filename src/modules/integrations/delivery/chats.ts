import type { TriggerName } from '../../hooks/index.ts'
import { html, type Markup, markdown, plain, slackMarkup, telegramMarkdown, written } from './markup.ts'
import type { Message } from './message.ts'
import { below, jsonHeaders, postJson, type Sender, type SentMessage, textOf } from './sending.ts'

/** The fields with the channel of an event, the first one that is set. */
const channelFields: Readonly<Partial<Record<TriggerName, string>>> = {
  push: 'push_channel',
  tag_push: 'tag_push_channel',
  issue: 'issue_channel',
  confidential_issue: 'confidential_issue_channel',
  merge_request: 'merge_request_channel',
  note: 'note_channel',
  confidential_note: 'confidential_note_channel',
  pipeline: 'pipeline_channel',
  wiki_page: 'wiki_page_channel',
  deployment: 'deployment_channel',
  alert: 'alert_channel',
}

function channelOf(sent: SentMessage): string {
  const { trigger, payload } = sent
  const ofIncident = trigger === 'issue' && payload.object_attributes?.type === 'Incident'
  return (ofIncident && textOf(sent, 'incident_channel')) || textOf(sent, channelFields[trigger] ?? '')
}

const colors = { good: '#1aaa55', danger: '#db3b21', neutral: '#345' } as const
const colorNumbers = { good: 0x1aaa55, danger: 0xdb3b21, neutral: 0x334455 } as const

const sentence = ({ message }: SentMessage, markup: Markup) => written(message.sentence, markup)

/** The sentence, and below it what was written. */
function fullText(sent: SentMessage, markup: Markup): string {
  const { detail } = sent.message
  return detail === '' ? sentence(sent, markup) : `${sentence(sent, markup)}\n\n${markup.text(detail)}`
}

function attachmentOf({ title, detail, sentence: parts, color }: Message) {
  return { title, text: slackMarkup.text(detail), fallback: written(parts, plain), color: colors[color] }
}

/** Slack and Mattermost: one request for each channel. */
const slack: Sender<SentMessage> = (sent) => {
  const channels = (channelOf(sent) || textOf(sent, 'channel')).split(',').map((channel) => channel.trim())
  const username = textOf(sent, 'username')
  return channels.map((channel) =>
    postJson(textOf(sent, 'webhook'), {
      ...(channel === '' ? {} : { channel }),
      ...(username === '' ? {} : { username }),
      text: sentence(sent, slackMarkup),
      attachments: [attachmentOf(sent.message)],
    }),
  )
}

const discord: Sender<SentMessage> = (sent) => {
  const { user, color } = sent.message
  const embed = {
    author: { name: user.name, icon_url: user.avatar },
    description: fullText(sent, markdown),
    color: colorNumbers[color],
    timestamp: sent.moment,
  }
  return [postJson(channelOf(sent) || textOf(sent, 'webhook'), { embeds: [embed] })]
}

const teams: Sender<SentMessage> = (sent) => {
  const { project, user, sentence: parts, detail } = sent.message
  const section = {
    activityTitle: sentence(sent, markdown),
    activitySubtitle: markdown.link(project.name, project.url),
    activityText: markdown.text(detail),
    activityImage: user.avatar,
  }
  return [
    postJson(textOf(sent, 'webhook'), { title: project.name, summary: written(parts, plain), sections: [section] }),
  ]
}

const googleChat: Sender<SentMessage> = (sent) => {
  const { project, thread } = sent.message
  const url = URL.parse(textOf(sent, 'webhook'))
  // Without it, messages about one object are not in one thread.
  url?.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
  const body = { text: sentence(sent, slackMarkup), thread: { threadKey: `${project.name} ${thread}` } }
  return [postJson(url?.href ?? '', body)]
}

const telegram: Sender<SentMessage> = (sent) => {
  const token = encodeURIComponent(textOf(sent, 'token')).replaceAll('%3A', ':')
  const { thread } = sent.values
  return [
    postJson(below(textOf(sent, 'hostname'), `bot${token}/sendMessage`), {
      chat_id: textOf(sent, 'room'),
      ...(typeof thread === 'number' ? { message_thread_id: thread } : {}),
      text: sentence(sent, telegramMarkdown),
      parse_mode: 'markdown',
    }),
  ]
}

const matrix: Sender<SentMessage> = (sent) => {
  const room = encodeURIComponent(textOf(sent, 'room'))
  const path = `_matrix/client/v3/rooms/${room}/send/m.room.message/${sent.key}`
  const body = { body: sentence(sent, plain), formatted_body: sentence(sent, html) }
  return [
    {
      method: 'PUT',
      url: below(textOf(sent, 'hostname'), path),
      headers: { ...jsonHeaders, Authorization: `Bearer ${textOf(sent, 'token')}` },
      body: JSON.stringify({ msgtype: 'm.text', format: 'org.matrix.custom.html', ...body }),
    },
  ]
}

/** One request to the webhook. */
const toWebhook =
  (body: (sent: SentMessage) => object): Sender<SentMessage> =>
  (sent) => [postJson(textOf(sent, 'webhook'), body(sent))]

/** What is sent to chat services (contract 25, What a D row sends). */
export const chatSenders: Readonly<Record<string, Sender<SentMessage>>> = {
  slack,
  mattermost: slack,
  discord,
  'microsoft-teams': teams,
  'hangouts-chat': googleChat,
  'webex-teams': toWebhook((sent) => ({ markdown: fullText(sent, markdown) })),
  'unify-circuit': toWebhook((sent) => ({
    ...{ subject: sent.message.project.name, text: sentence(sent, markdown), markdown: true },
  })),
  pumble: toWebhook((sent) => ({ text: sentence(sent, markdown) })),
  telegram,
  matrix,
}
