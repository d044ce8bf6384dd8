import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/** The columns that say which events call a hook. */
const events = [
  'push',
  'tag_push',
  'merge_requests',
  'repository_update',
  'issues',
  'confidential_issues',
  'note',
  'confidential_note',
  'pipeline',
  'wiki_page',
  'deployment',
  'feature_flag',
  'job',
  'releases',
  'milestone',
  'emoji',
  'resource_access_token',
  'vulnerability',
  'member',
  'subgroup',
  'project',
]

/**
 * Webhooks of projects, of groups (`namespace_id`), and of the instance, which have neither (contract 21, hooks); their
 * secrets; the events to be sent, each stored once; and their deliveries to hooks, pending or done. Deliveries are deleted
 * with their event, after a week.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table web_hooks (
      id ${id},
      uuid text not null,
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      url text not null,
      name text,
      description text,
      ${sql.raw(events.map((event) => `${event}_events boolean not null default false`).join(',\n'))},
      push_events_branch_filter text,
      branch_filter_strategy text not null default 'wildcard'
        check (branch_filter_strategy in ('wildcard', 'regex', 'all_branches')),
      enable_ssl_verification boolean not null default true,
      custom_webhook_template text,
      recent_failures integer not null default 0,
      disabled_until timestamptz,
      lease_job_id bigint,
      lease_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index web_hooks_project on web_hooks (project_id, id) where project_id is not null`,
    sql`create index web_hooks_namespace on web_hooks (namespace_id, id) where namespace_id is not null`,
    sql`create index web_hooks_system on web_hooks (id) where project_id is null and namespace_id is null`,
    sql`create table web_hook_secrets (
      id ${id},
      web_hook_id bigint not null references web_hooks (id) on delete cascade,
      kind text not null check (kind in ('token', 'url_variable', 'custom_header')),
      key ${name} not null,
      sealed_value text not null
    )`,
    sql`create unique index web_hook_secrets_unique on web_hook_secrets (web_hook_id, kind, key)`,
    sql`create table web_hook_events (
      id ${id},
      uuid text not null,
      trigger_name text not null,
      header text not null,
      payload text not null,
      completions jsonb,
      created_at timestamptz not null
    )`,
    sql`create index web_hook_events_created on web_hook_events (created_at)`,
    sql`create table web_hook_deliveries (
      id ${id},
      web_hook_id bigint not null references web_hooks (id) on delete cascade,
      event_id bigint not null references web_hook_events (id) on delete cascade,
      idempotency_key text not null,
      is_pending boolean not null,
      url text,
      request_headers jsonb,
      response_headers jsonb,
      response_body text,
      response_code integer,
      response_status text,
      execution_duration double precision,
      created_at timestamptz not null
    )`,
    sql`create index web_hook_deliveries_order on web_hook_deliveries (web_hook_id, is_pending, id)`,
    sql`create index web_hook_deliveries_event on web_hook_deliveries (event_id)`,
  ]
}
