/**
 * Integrations, alerts, their activity and metric images, and the settings of projects (contract 07). At most one alert of a project that is
 * not resolved has a fingerprint: deliveries at the same time are grouped by that index.
 */
import {
  type ChangesOf,
  type NewRowOf,
  partial,
  type RowOf,
  type TableOf,
  type TablesOf,
  t,
  table,
} from '../../infra/database/index.ts'

export const integrationTypes = ['http', 'prometheus', 'external_link'] as const
export type IntegrationType = (typeof integrationTypes)[number]

export const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const
export type Severity = (typeof severities)[number]

export const statuses = ['triggered', 'acknowledged', 'resolved', 'ignored'] as const
export type AlertStatus = (typeof statuses)[number]

/** Where a field of alerts is found in payloads (contract 07, Mapping). */
export type Mapping = {
  field_name: string
  path: (string | number)[]
  label: string | null
  type: 'string' | 'array' | 'datetime'
}

export const alertIntegrations = table(
  'alert_integrations',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.text(),
    type: t.text<IntegrationType>(),
    active: t.boolean(),
    /** Part of the address that monitoring tools call; null for external links. */
    endpoint_identifier: t.name().nullable(),
    /** The authorization key, sealed; null for external links. */
    sealed_token: t.text().nullable(),
    /** The digest by which the key is found. */
    token_digest: t.name().nullable(),
    external_url: t.text().nullable(),
    /** JSON text, in the order of its members. */
    payload_example: t.text().nullable(),
    payload_attribute_mappings: t.json<Mapping[]>(),
    last_received_at: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      endpoint: { on: ['project_id', 'endpoint_identifier'], where: 'endpoint_identifier is not null' },
      token: { on: ['project_id', 'token_digest'], where: 'token_digest is not null' },
    },
    indexes: { order: ['project_id', 'id'] },
  },
)

export const alerts = table(
  'alerts',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    iid: t.bigint(),
    title: t.text(),
    description: t.text().nullable(),
    severity: t.text<Severity>(),
    status: t.text<AlertStatus>(),
    service: t.text().nullable(),
    monitoring_tool: t.text().nullable(),
    hosts: t.json<string[]>(),
    started_at: t.time(),
    /** Set while the status is `resolved`. */
    ended_at: t.time().nullable(),
    event_count: t.integer(),
    /** SHA-1 in hex; null when the alert is never grouped. */
    fingerprint: t.name().nullable(),
    /** Fingerprint of the labels, also where the tool names another, of the monitoring-tool format (contract 2.23). */
    loose_fingerprint: t.name().nullable(),
    environment_name: t.text().nullable(),
    runbook: t.text().nullable(),
    full_query: t.text().nullable(),
    y_label: t.text().nullable(),
    format: t.text<'generic' | 'monitoring'>(),
    /** JSON text as first received, in the order of its members. */
    payload: t.text(),
    integration_id: t.refers('alert_integrations', 'set null').nullable(),
    assignee_id: t.refers('users', 'set null').nullable(),
    /** The incident. */
    issue_id: t.bigint().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      iid: ['project_id', 'iid'],
      open_fingerprint: {
        on: ['project_id', 'fingerprint'],
        where: "status <> 'resolved' and fingerprint is not null",
      },
    },
    indexes: {
      order: ['project_id', 'started_at', 'iid'],
      open_loose_fingerprint: {
        on: ['project_id', 'loose_fingerprint'],
        where: "status <> 'resolved' and loose_fingerprint is not null",
      },
      integration: ['integration_id'],
      assignee: ['assignee_id'],
      issue: partial('issue_id'),
      listed: [
        'project_id',
        'status',
        'iid',
        'id',
        'severity',
        'created_at',
        'updated_at',
        'ended_at',
        'event_count',
        'monitoring_tool',
        'environment_name',
      ],
    },
    text: ['title', 'description', 'monitoring_tool', 'service'],
  },
)
export type AlertsTable = TableOf<typeof alerts>

export const alertNotes = table(
  'alert_notes',
  {
    id: t.id(),
    alert_id: t.refers('alerts', 'cascade'),
    author_id: t.refers('users', 'refuse'),
    body: t.text(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    indexes: { order: ['alert_id', 'created_at', 'id'], author: ['author_id'] },
  },
)

export const alertMetricImages = table(
  'alert_metric_images',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    alert_id: t.refers('alerts', 'cascade'),
    /** The random part of the key of its bytes. */
    secret: t.name(),
    filename: t.name(),
    size_bytes: t.bigint(),
    sha256: t.text(),
    url: t.text().nullable(),
    url_text: t.text().nullable(),
    created_at: t.time(),
  },
  {
    unique: { secret: ['secret'] },
    indexes: { order: ['alert_id', 'created_at', 'id'], project: ['project_id'] },
  },
)

/** The projects whose settings differ, or differed, from the defaults. */
export const alertSettings = table('alert_settings', {
  project_id: t.refers('projects', 'cascade').primaryKey(),
  create_issue: t.boolean(),
  issue_template_key: t.text().nullable(),
  send_email: t.boolean(),
  auto_close_incident: t.boolean(),
  updated_at: t.time(),
})

export type IntegrationRow = RowOf<typeof alertIntegrations>
export type IntegrationRowChanges = ChangesOf<typeof alertIntegrations>
export type AlertRow = RowOf<typeof alerts>
export type NewAlertRow = NewRowOf<typeof alerts>
export type AlertRowChanges = ChangesOf<typeof alerts>
export type AlertNoteRow = RowOf<typeof alertNotes>
export type MetricImageRow = RowOf<typeof alertMetricImages>
export type AlertSettingsRow = RowOf<typeof alertSettings>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<
      typeof alertIntegrations | typeof alerts | typeof alertNotes | typeof alertMetricImages | typeof alertSettings
    > {}
}
