/**
 * Webhooks of projects, of groups (`namespace_id`), and of the instance, which have neither (contract 21, hooks); their
 * secrets; the events to be sent, each stored once; and their deliveries to hooks, pending or done. Deliveries are deleted
 * with their event, after a week.
 */
import { type ChangesOf, partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

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

/** Hooks of projects (`project_id`), groups (`namespace_id`) and the instance (neither). */
export const webHooks = table(
  'web_hooks',
  {
    id: t.id(),
    uuid: t.text(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** May contain `{name}` for each variable of the hook. */
    url: t.text(),
    name: t.text().nullable(),
    description: t.text().nullable(),
    push_events: t.boolean().default(false),
    tag_push_events: t.boolean().default(false),
    merge_requests_events: t.boolean().default(false),
    repository_update_events: t.boolean().default(false),
    issues_events: t.boolean().default(false),
    confidential_issues_events: t.boolean().default(false),
    note_events: t.boolean().default(false),
    confidential_note_events: t.boolean().default(false),
    pipeline_events: t.boolean().default(false),
    wiki_page_events: t.boolean().default(false),
    deployment_events: t.boolean().default(false),
    feature_flag_events: t.boolean().default(false),
    job_events: t.boolean().default(false),
    releases_events: t.boolean().default(false),
    milestone_events: t.boolean().default(false),
    emoji_events: t.boolean().default(false),
    resource_access_token_events: t.boolean().default(false),
    vulnerability_events: t.boolean().default(false),
    member_events: t.boolean().default(false),
    subgroup_events: t.boolean().default(false),
    project_events: t.boolean().default(false),
    push_events_branch_filter: t.text().nullable(),
    branch_filter_strategy: t.oneOf(...branchFilterStrategies).default('wildcard'),
    enable_ssl_verification: t.boolean().default(true),
    custom_webhook_template: t.text().nullable(),
    /** Failed deliveries in a row. */
    recent_failures: t.integer().default(0),
    /** Not called until then, because of failures. */
    disabled_until: t.time().nullable(),
    /** The job that sends the pending deliveries, which no other one does until `lease_until`. */
    lease_job_id: t.bigint().nullable(),
    lease_until: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: {
      project: partial('project_id', 'id'),
      namespace: partial('namespace_id', 'id'),
      system: { on: ['id'], where: 'project_id is null and namespace_id is null' },
    },
  },
)

export type SecretKind = 'token' | 'url_variable' | 'custom_header'

/** Values that only the receiver of a hook learns. The key of a token is empty. */
export const webHookSecrets = table(
  'web_hook_secrets',
  {
    id: t.id(),
    web_hook_id: t.refers('web_hooks', 'cascade'),
    kind: t.oneOf('token', 'url_variable', 'custom_header'),
    key: t.name(),
    sealed_value: t.text(),
  },
  {
    unique: ['web_hook_id', 'kind', 'key'],
  },
)

/**
 * A commit that a payload shows, at this place in it. Requests do not wait for git: it is read when the payload is sent.
 * @see payloads/completion.ts
 */
export type Completion = { path: string[]; projectId: number; sha: string; form: 'commit' | 'job' }

/** What is sent, once for all hooks that are called by it. */
export const webHookEvents = table(
  'web_hook_events',
  {
    id: t.id(),
    uuid: t.text(),
    /** As the log of deliveries names it: `push_hooks`. */
    trigger_name: t.text(),
    /** The header `X-Gitlab-Event`. */
    header: t.text(),
    /** JSON text. */
    payload: t.text(),
    /** What git is asked for before it is sent for the first time; null: nothing, or it is there already. */
    completions: t.json<Completion[]>().nullable(),
    created_at: t.time(),
  },
  {
    indexes: { created: ['created_at'] },
  },
)

/** An event that is sent to a hook, or was. What is about the response is null while it is pending. */
export const webHookDeliveries = table(
  'web_hook_deliveries',
  {
    id: t.id(),
    web_hook_id: t.refers('web_hooks', 'cascade'),
    event_id: t.refers('web_hook_events', 'cascade'),
    idempotency_key: t.text(),
    is_pending: t.boolean(),
    url: t.text().nullable(),
    request_headers: t.json<Record<string, string>>().nullable(),
    response_headers: t.json<Record<string, string>>().nullable(),
    response_body: t.text().nullable(),
    /** Null without a response. */
    response_code: t.integer().nullable(),
    /** The code as text, or `internal error`. */
    response_status: t.text().nullable(),
    /** In seconds. */
    execution_duration: t.float().nullable(),
    created_at: t.time(),
  },
  {
    indexes: { event: ['event_id'], order: ['web_hook_id', 'is_pending', 'id', 'response_code'] },
  },
)

export type WebHookRow = RowOf<typeof webHooks>
export type WebHookChanges = ChangesOf<typeof webHooks>
export type SecretRow = RowOf<typeof webHookSecrets>
export type WebHookEventRow = RowOf<typeof webHookEvents>
export type DeliveryRow = RowOf<typeof webHookDeliveries>
export type DeliveryChanges = ChangesOf<typeof webHookDeliveries>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof webHooks | typeof webHookSecrets | typeof webHookEvents | typeof webHookDeliveries> {}
}
