/** Integrations of projects and groups with other programs (contract 25, Integrations). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export type FieldValue = string | number | boolean | readonly string[] | null

/** What a project (`project_id`) or a group (`namespace_id`) has set for one entry of the catalogue, also while it is switched off. */
export const integrations = table(
  'integrations',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    slug: t.name(),
    active: t.boolean(),
    commit_events: t.boolean(),
    push_events: t.boolean(),
    issues_events: t.boolean(),
    incident_events: t.boolean(),
    alert_events: t.boolean(),
    confidential_issues_events: t.boolean(),
    merge_requests_events: t.boolean(),
    tag_push_events: t.boolean(),
    deployment_events: t.boolean(),
    note_events: t.boolean(),
    confidential_note_events: t.boolean(),
    pipeline_events: t.boolean(),
    wiki_page_events: t.boolean(),
    job_events: t.boolean(),
    comment_on_event_enabled: t.boolean(),
    /** The fields that are no secrets, by name. */
    fields: t.json<Record<string, FieldValue>>(),
    /** The secret fields by name, sealed together as JSON text; null without any. */
    sealed_secrets: t.text().nullable(),
    /** Requests without success in a row. */
    recent_failures: t.integer().default(0),
    /** Nothing is sent until then, because of failures. */
    disabled_until: t.time().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'slug'), namespace: partial('namespace_id', 'slug') },
  },
)

export type IntegrationRow = RowOf<typeof integrations>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof integrations> {}
}
