import { anything, forms, nullable, oneOf, type Static, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { presentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import { detailsOf } from '../payloads/details.ts'
import { type AlertRow, integrationTypes, severities, statuses } from '../tables.ts'
import { alertUrl } from './addresses.ts'
import { integrationFacts, type ListedAlert } from './store.ts'

const IntegrationOfAlert = Type.Object({ id: forms.id, name: Type.String(), type: oneOf(integrationTypes) })

const IssueOfAlert = Type.Object({
  id: forms.id,
  iid: Type.Integer(),
  state: oneOf(['opened', 'closed']),
  web_url: Type.String(),
})

const members = {
  iid: Type.Integer(),
  project_id: forms.id,
  title: Type.String(),
  description: forms.nullableString,
  severity: oneOf(severities),
  status: oneOf(statuses),
  service: forms.nullableString,
  monitoring_tool: forms.nullableString,
  hosts: forms.strings,
  started_at: forms.timestamp,
  ended_at: forms.nullableTimestamp,
  event_count: Type.Integer({ description: 'Payloads that were grouped into the alert, the first included.' }),
  fingerprint: forms.nullableString,
  environment_name: forms.nullableString,
  runbook: forms.nullableString,
  full_query: forms.nullableString,
  y_label: forms.nullableString,
  integration: nullable(IntegrationOfAlert),
  assignees: Type.Array(UserBasic),
  issue_iid: forms.nullableInteger,
  issue: nullable(IssueOfAlert),
  web_url: Type.String(),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
}

/** An alert in a list (contract 07, Alert). */
export const Alert = Type.Object(members, { title: 'Alert' })

/** An alert alone (contract 07, Alert). */
export const AlertDetail = Type.Object({ ...members, details: anything, payload: anything }, { title: 'AlertDetail' })

/** Presents alerts of a project; what they refer to is loaded once for all. */
export async function presentAlerts(
  platform: Platform,
  { full_path: path }: { full_path: string },
  rows: readonly ListedAlert[],
): Promise<Static<typeof Alert>[]> {
  const db = platform.database.read
  const [users, integrations, incidents, presenting] = await Promise.all([
    usersByIds(
      db,
      rows.flatMap(({ assignee_id: id }) => id ?? []),
    ),
    integrationFacts(
      db,
      rows.flatMap(({ integration_id: id }) => id ?? []),
    ),
    platform.ports['alerts.incidents'](
      platform,
      rows.flatMap(({ issue_id: id }) => id ?? []),
    ),
    presentingUsers(platform),
  ])
  return rows.map(({ id: _id, integration_id, assignee_id, issue_id, ...shown }) => {
    const assignee = users.get(assignee_id ?? 0)
    const issue = incidents.get(issue_id ?? 0) ?? null
    return {
      ...shown,
      integration: integrations.get(integration_id ?? 0) ?? null,
      assignees: assignee ? [presentUserBasic(assignee, presenting)] : [],
      issue_iid: issue?.iid ?? null,
      issue,
      web_url: alertUrl(platform.externalUrl, path, shown.iid),
    }
  })
}

/** Presents one alert with its payload. */
export async function presentAlert(
  platform: Platform,
  project: { full_path: string },
  row: AlertRow,
): Promise<Static<typeof AlertDetail>> {
  const [alert] = await presentAlerts(platform, project, [row])
  return { ...(alert as Static<typeof Alert>), ...detailsOf(row) }
}
