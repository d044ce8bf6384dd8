import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type { Json } from '../../infra/database/index.ts'

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

export type AlertIntegrationsTable = {
  id: Generated<number>
  project_id: number
  name: string
  type: IntegrationType
  active: boolean
  /** Part of the address that monitoring tools call; null for external links. */
  endpoint_identifier: string | null
  /** The authorization key, sealed; null for external links. */
  sealed_token: string | null
  /** The digest by which the key is found. */
  token_digest: string | null
  external_url: string | null
  /** JSON text, in the order of its members. */
  payload_example: string | null
  payload_attribute_mappings: Json<Mapping[]>
  last_received_at: string | null
  created_at: string
  updated_at: string
}

export type AlertsTable = {
  id: Generated<number>
  project_id: number
  iid: number
  title: string
  description: string | null
  severity: Severity
  status: AlertStatus
  service: string | null
  monitoring_tool: string | null
  hosts: Json<string[]>
  started_at: string
  /** Set while the status is `resolved`. */
  ended_at: string | null
  event_count: number
  /** SHA-1 in hex; null when the alert is never grouped. */
  fingerprint: string | null
  /** Fingerprint of the labels, also where the tool names another, of the monitoring-tool format (contract 2.23). */
  loose_fingerprint: string | null
  environment_name: string | null
  runbook: string | null
  full_query: string | null
  y_label: string | null
  format: 'generic' | 'monitoring'
  /** JSON text as first received, in the order of its members. */
  payload: string
  integration_id: number | null
  assignee_id: number | null
  /** The incident. */
  issue_id: number | null
  created_at: string
  updated_at: string
}

export type AlertNotesTable = {
  id: Generated<number>
  alert_id: number
  author_id: number
  body: string
  created_at: string
  updated_at: string
}

export type MetricImagesTable = {
  id: Generated<number>
  project_id: number
  alert_id: number
  /** The random part of the key of its bytes. */
  secret: string
  filename: string
  size_bytes: number
  sha256: string
  url: string | null
  url_text: string | null
  created_at: string
}

/** The projects whose settings differ, or differed, from the defaults. */
export type AlertSettingsTable = {
  project_id: number
  create_issue: boolean
  issue_template_key: string | null
  send_email: boolean
  auto_close_incident: boolean
  updated_at: string
}

export type IntegrationRow = Selectable<AlertIntegrationsTable>
export type NewIntegrationRow = Insertable<AlertIntegrationsTable>
export type IntegrationRowChanges = Updateable<AlertIntegrationsTable>
export type AlertRow = Selectable<AlertsTable>
export type NewAlertRow = Insertable<AlertsTable>
export type AlertRowChanges = Updateable<AlertsTable>
export type AlertNoteRow = Selectable<AlertNotesTable>
export type MetricImageRow = Selectable<MetricImagesTable>
export type NewMetricImageRow = Insertable<MetricImagesTable>
export type AlertSettingsRow = Selectable<AlertSettingsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    alert_integrations: AlertIntegrationsTable
    alerts: AlertsTable
    alert_notes: AlertNotesTable
    alert_metric_images: MetricImagesTable
    alert_settings: AlertSettingsTable
  }
}
