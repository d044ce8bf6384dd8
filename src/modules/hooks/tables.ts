import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

/** The columns that say which events call a hook, in the order in which the API shows them. */
export const eventColumns = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'feature_flag_events',
  'job_events',
  'releases_events',
  'milestone_events',
  'emoji_events',
  'resource_access_token_events',
  'vulnerability_events',
  'member_events',
  'subgroup_events',
  'project_events',
] as const

export type EventColumn = (typeof eventColumns)[number]

export const branchFilterStrategies = ['wildcard', 'regex', 'all_branches'] as const
export type BranchFilterStrategy = (typeof branchFilterStrategies)[number]

/** Hooks of projects (`project_id`), groups (`namespace_id`) and the instance (neither). */
export type WebHooksTable = Record<EventColumn, boolean> & {
  id: Generated<number>
  uuid: string
  project_id: number | null
  namespace_id: number | null
  /** May contain `{name}` for each variable of the hook. */
  url: string
  name: string | null
  description: string | null
  push_events_branch_filter: string | null
  branch_filter_strategy: BranchFilterStrategy
  enable_ssl_verification: boolean
  custom_webhook_template: string | null
  /** Failed deliveries in a row. */
  recent_failures: Generated<number>
  /** Not called until then, because of failures. */
  disabled_until: string | null
  /** The job that sends the pending deliveries, which no other one does until `lease_until`. */
  lease_job_id: number | null
  lease_until: string | null
  created_at: string
  updated_at: string
}

export type SecretKind = 'token' | 'url_variable' | 'custom_header'

/** Values that only the receiver of a hook learns. The key of a token is empty. */
type WebHookSecretsTable = {
  id: Generated<number>
  web_hook_id: number
  kind: SecretKind
  key: string
  sealed_value: string
}

/**
 * A commit that a payload shows, at this place in it. Requests do not wait for git: it is read when the payload is sent.
 * @see payloads/completion.ts
 */
export type Completion = { path: string[]; projectId: number; sha: string; form: 'commit' | 'job' }

/** What is sent, once for all hooks that are called by it. */
type WebHookEventsTable = {
  id: Generated<number>
  uuid: string
  /** As the log of deliveries names it: `push_hooks`. */
  trigger_name: string
  /** The header `X-Gitlab-Event`. */
  header: string
  /** JSON text. */
  payload: string
  /** What git is asked for before it is sent for the first time; null: nothing, or it is there already. */
  completions: Json<Completion[]> | null
  created_at: string
}

/** An event that is sent to a hook, or was. What is about the response is null while it is pending. */
type WebHookDeliveriesTable = {
  id: Generated<number>
  web_hook_id: number
  event_id: number
  idempotency_key: string
  is_pending: boolean
  url: string | null
  request_headers: Json<Record<string, string>> | null
  response_headers: Json<Record<string, string>> | null
  response_body: string | null
  /** Null without a response. */
  response_code: number | null
  /** The code as text, or `internal error`. */
  response_status: string | null
  /** In seconds. */
  execution_duration: number | null
  created_at: string
}

export type WebHookRow = Selectable<WebHooksTable>
export type NewWebHookRow = Insertable<WebHooksTable>
export type WebHookChanges = Updateable<WebHooksTable>
export type SecretRow = Selectable<WebHookSecretsTable>
export type WebHookEventRow = Selectable<WebHookEventsTable>
export type DeliveryRow = Selectable<WebHookDeliveriesTable>
export type DeliveryChanges = Updateable<WebHookDeliveriesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    web_hooks: WebHooksTable
    web_hook_secrets: WebHookSecretsTable
    web_hook_events: WebHookEventsTable
    web_hook_deliveries: WebHookDeliveriesTable
  }
}
