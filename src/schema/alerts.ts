import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'

/**
 * Integrations, alerts, their activity and metric images, and the settings of projects (contract 07). At most one alert of a project that is
 * not resolved has a fingerprint: deliveries at the same time are grouped by that index.
 */
export function up({ id, name }: Dialect) {
  return [
    sql`create table alert_integrations (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name text not null,
      type text not null,
      active boolean not null,
      endpoint_identifier ${name},
      sealed_token text,
      token_digest ${name},
      external_url text,
      payload_example text,
      payload_attribute_mappings jsonb not null,
      last_received_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index alert_integrations_order on alert_integrations (project_id, id)`,
    sql`create unique index alert_integrations_endpoint_unique
      on alert_integrations (project_id, endpoint_identifier) where endpoint_identifier is not null`,
    sql`create unique index alert_integrations_token_unique
      on alert_integrations (project_id, token_digest) where token_digest is not null`,
    sql`create table alerts (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      iid bigint not null,
      title text not null,
      description text,
      severity text not null,
      status text not null,
      service text,
      monitoring_tool text,
      hosts jsonb not null,
      started_at timestamptz not null,
      ended_at timestamptz,
      event_count integer not null,
      fingerprint ${name},
      loose_fingerprint ${name},
      environment_name text,
      runbook text,
      full_query text,
      y_label text,
      format text not null,
      payload text not null,
      integration_id bigint references alert_integrations (id) on delete set null,
      assignee_id bigint references users (id) on delete set null,
      issue_id bigint,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create unique index alerts_iid_unique on alerts (project_id, iid)`,
    sql`create index alerts_order on alerts (project_id, started_at, iid)`,
    sql`create index alerts_status on alerts (project_id, status)`,
    sql`create unique index alerts_open_fingerprint_unique
      on alerts (project_id, fingerprint) where status <> 'resolved' and fingerprint is not null`,
    sql`create index alerts_open_loose_fingerprint
      on alerts (project_id, loose_fingerprint) where status <> 'resolved' and loose_fingerprint is not null`,
    sql`create index alerts_integration on alerts (integration_id)`,
    sql`create index alerts_assignee on alerts (assignee_id)`,
    sql`create index alerts_issue on alerts (issue_id) where issue_id is not null`,
    sql`create table alert_notes (
      id ${id},
      alert_id bigint not null references alerts (id) on delete cascade,
      author_id bigint not null references users (id),
      body text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    sql`create index alert_notes_order on alert_notes (alert_id, created_at, id)`,
    sql`create index alert_notes_author on alert_notes (author_id)`,
    sql`create table alert_metric_images (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      alert_id bigint not null references alerts (id) on delete cascade,
      secret ${name} not null,
      filename ${name} not null,
      size_bytes bigint not null,
      sha256 text not null,
      url text,
      url_text text,
      created_at timestamptz not null
    )`,
    sql`create unique index alert_metric_images_secret_unique on alert_metric_images (secret)`,
    sql`create index alert_metric_images_order on alert_metric_images (alert_id, created_at, id)`,
    sql`create index alert_metric_images_project on alert_metric_images (project_id)`,
    sql`create table alert_settings (
      project_id bigint primary key references projects (id) on delete cascade,
      create_issue boolean not null,
      issue_template_key text,
      send_email boolean not null,
      auto_close_incident boolean not null,
      updated_at timestamptz not null
    )`,
  ]
}
