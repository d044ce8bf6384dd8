/** The events of integrations, by the columns that switch them on, with the value of new ones (contract 25, Integration). */
export const eventDefaults = {
  commit_events: true,
  push_events: true,
  issues_events: true,
  incident_events: false,
  alert_events: true,
  confidential_issues_events: true,
  merge_requests_events: true,
  tag_push_events: true,
  deployment_events: false,
  note_events: true,
  confidential_note_events: true,
  pipeline_events: false,
  wiki_page_events: true,
  job_events: false,
  comment_on_event_enabled: true,
} as const

export type EventColumn = keyof typeof eventDefaults
export const eventColumns = Object.keys(eventDefaults) as EventColumn[]

/** The events of chat services. */
export const chatEvents = [
  'push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'tag_push_events',
  'pipeline_events',
  'wiki_page_events',
] as const satisfies readonly EventColumn[]
