import { delivers, type Entry } from './entry.ts'
import { chatEvents } from './events.ts'
import { addressOr, each, type Fields, flag, integer, oneOf, secret, secretAddress, text } from './fields.ts'

export const branchRules = ['all', 'default', 'protected', 'default_and_protected'] as const
export const labelRules = ['match_any', 'match_all'] as const

const filters: Fields = { notify_only_broken_pipelines: flag, branches_to_be_notified: oneOf(...branchRules) }
const onlyDefault: Fields = { notify_only_default_branch: flag }
const channels = [
  'push_channel',
  'issue_channel',
  'confidential_issue_channel',
  'merge_request_channel',
  'note_channel',
  'confidential_note_channel',
  'tag_push_channel',
  'pipeline_channel',
  'wiki_page_channel',
]
const webhook: Fields = { webhook: secretAddress }

const slackFields: Fields = {
  ...each(text, 'username', 'channel'),
  ...filters,
  ...onlyDefault,
  labels_to_be_notified: text,
  labels_to_be_notified_behavior: oneOf(...labelRules),
  ...each(text, ...channels),
}

/** Services that are sent messages about what happens in a project. */
export const chats: Readonly<Record<string, Entry>> = {
  slack: delivers('Slack notifications', {
    required: webhook,
    optional: {
      ...slackFields,
      ...each(text, 'alert_channel', 'incident_channel', 'deployment_channel', 'vulnerability_channel'),
    },
    events: [...chatEvents, 'commit_events', 'job_events', 'alert_events', 'incident_events', 'deployment_events'],
  }),
  mattermost: delivers('Mattermost notifications', { required: webhook, optional: slackFields, events: chatEvents }),
  discord: delivers('Discord Notifications', {
    required: webhook,
    optional: {
      ...filters,
      ...each(secretAddress, ...channels, 'deployment_channel'),
      ...each(secretAddress, 'group_mentions_channel', 'group_confidential_mentions_channel'),
    },
    events: [...chatEvents, 'deployment_events'],
  }),
  'microsoft-teams': delivers('Microsoft Teams notifications', {
    required: webhook,
    optional: { ...filters, ...onlyDefault },
    events: chatEvents,
  }),
  'hangouts-chat': delivers('Google Chat', {
    required: webhook,
    optional: { ...filters, ...onlyDefault },
    events: chatEvents,
  }),
  'webex-teams': delivers('Webex Teams', { required: webhook, optional: filters, events: chatEvents }),
  'unify-circuit': delivers('Unify Circuit', { required: webhook, optional: filters, events: chatEvents }),
  pumble: delivers('Pumble', { required: webhook, optional: filters, events: chatEvents }),
  telegram: delivers('Telegram', {
    required: { token: secret, room: text },
    optional: { hostname: addressOr('https://api.telegram.org'), thread: integer, ...filters },
    events: chatEvents,
  }),
  matrix: delivers('Matrix notifications', {
    required: { token: secret, room: text },
    optional: { hostname: addressOr('https://matrix.org'), ...filters },
    events: chatEvents,
  }),
}
