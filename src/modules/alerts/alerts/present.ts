import { anything, computed, fact, forms, nullable, object, of, oneOf, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { presentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import type { detailsOf } from '../payloads/details.ts'
import { integrationTypes, severities, statuses } from '../tables.ts'
import { integrationFacts, type ListedAlert } from './store.ts'

/** The page of an alert. */
export function alertUrl(externalUrl: string, fullPath: string, iid: number): string {
  return `${externalUrl}/${fullPath}/-/alert_management/${iid}/details`
}

const IntegrationOfAlert = Type.Object({ id: forms.id, name: Type.String(), type: oneOf(integrationTypes) })

const IssueOfAlert = Type.Object({
  id: forms.id,
  iid: Type.Integer(),
  state: oneOf(['opened', 'closed']),
  web_url: Type.String(),
})

/** The project of the alerts of an answer. */
type AlertView = { platform: Platform; project: { full_path: string } }

const alerts = of<ListedAlert, AlertView>().facts({
  users: (rows, { platform }) =>
    usersByIds(
      platform.database.read,
      rows.flatMap(({ assignee_id: id }) => id ?? []),
    ),
  presenting: (_, { platform }) => presentingUsers(platform),
  integrations: (rows, { platform }) =>
    integrationFacts(
      platform.database.read,
      rows.flatMap(({ integration_id: id }) => id ?? []),
    ),
  issues: (rows, { platform }) =>
    platform.ports['alerts.incidents'](
      platform,
      rows.flatMap(({ issue_id: id }) => id ?? []),
    ),
})

/** An alert in a list (contract 07, Alert). */
export const Alert = object('Alert', alerts, {
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
  integration: fact(nullable(IntegrationOfAlert), 'integrations', ({ integration_id }, { integrations }) => {
    return integrations.get(integration_id ?? 0) ?? null
  }),
  assignees: fact(Type.Array(UserBasic), ['users', 'presenting'], ({ assignee_id }, { users, presenting }) => {
    const assignee = users.get(assignee_id ?? 0)
    return assignee ? [presentUserBasic(assignee, presenting)] : []
  }),
  issue_iid: fact(
    forms.nullableInteger,
    'issues',
    ({ issue_id }, { issues }) => issues.get(issue_id ?? 0)?.iid ?? null,
  ),
  issue: fact(nullable(IssueOfAlert), 'issues', ({ issue_id }, { issues }) => issues.get(issue_id ?? 0) ?? null),
  web_url: computed(Type.String(), ({ iid }, { platform, project }) => {
    return alertUrl(platform.externalUrl, project.full_path, iid)
  }),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

/** An alert alone, with its payload and the details of that (contract 07, Alert). */
export const AlertDetail = object('AlertDetail', alerts.ofRows<ReturnType<typeof detailsOf>>(), {
  ...Alert.fields,
  details: anything,
  payload: anything,
})
