import { anything, pageOf, reading, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { countAlerts, countSeverities, createIncident, getAlert, listAlerts, updateAlert } from './alerts.ts'
import { alertChanges, alertFilter, alertPath, countFilter, severityCountFilter } from './params.ts'
import { Alert, AlertDetail } from './present.ts'

const shared = { tag: 'Alerts', subject: project } as const
const read = { ...shared, allow: 'read_alerts', scopes: reading } as const
const write = { ...shared, allow: 'manage_alerts', scopes: writing } as const
const list = '/projects/:id/alert_management_alerts'
const one = `${list}/:alert_iid` as const

const AlertStatusCounts = Type.Object(
  {
    all: Type.Integer(),
    open: Type.Integer({ description: 'Triggered and acknowledged.' }),
    triggered: Type.Integer(),
    acknowledged: Type.Integer(),
    resolved: Type.Integer(),
    ignored: Type.Integer(),
  },
  { title: 'AlertStatusCounts' },
)

export const alertsList = operation({
  ...read,
  id: 'alerts.list',
  contract: 'x.alert_list',
  method: 'GET',
  path: list,
  summary: 'List the alerts of a project',
  params: alertFilter,
  result: [200, pageOf(Alert)],
  run: ({ platform, subject, params, page }) => listAlerts(platform, subject, params, page),
})

export const alertsStatusCounts = operation({
  ...read,
  id: 'alerts.status_counts',
  contract: 'x.alert_status_counts',
  method: 'GET',
  path: `${list}/status_counts`,
  summary: 'Count the alerts of a project by status',
  params: countFilter,
  result: [200, AlertStatusCounts],
  run: ({ platform, subject, params }) => countAlerts(platform, subject, params),
})

const AlertSeverityCounts = Type.Object(
  {
    critical: Type.Integer(),
    high: Type.Integer(),
    medium: Type.Integer(),
    low: Type.Integer(),
    info: Type.Integer(),
    unknown: Type.Integer(),
  },
  { title: 'AlertSeverityCounts' },
)

export const alertsSeverityCounts = operation({
  ...read,
  id: 'alerts.severity_counts',
  contract: 'x.alert_severity_counts',
  method: 'GET',
  path: `${list}/severity_counts`,
  summary: 'Count the alerts of a project by severity',
  params: severityCountFilter,
  result: [200, AlertSeverityCounts],
  run: ({ platform, subject, params }) => countSeverities(platform, subject, params),
})

export const alertsGet = operation({
  ...read,
  id: 'alerts.get',
  contract: 'x.alert_get',
  method: 'GET',
  path: one,
  summary: 'Get an alert with its payload',
  params: alertPath,
  result: [200, AlertDetail],
  run: ({ platform, subject, params }) => getAlert(platform, subject, params.alert_iid),
})

export const alertsUpdate = operation({
  ...write,
  id: 'alerts.update',
  contract: 'x.alert_update',
  method: 'PUT',
  path: one,
  summary: 'Change the status or the assignee of an alert',
  params: { ...alertPath, ...alertChanges },
  atLeastOne: ['status', 'assignee_usernames', 'assignee_ids'],
  result: [200, AlertDetail],
  run: ({ platform, subject, actor, params: { alert_iid: iid, ...changes } }) =>
    updateAlert(platform, subject, actor, iid, changes),
})

export const alertsCreateIncident = operation({
  ...write,
  id: 'alerts.create_incident',
  contract: 'x.alert_create_incident',
  method: 'POST',
  path: `${one}/incident`,
  summary: 'Open an incident for an alert',
  params: alertPath,
  result: [201, anything],
  run: ({ platform, subject, actor, params }) => createIncident(platform, subject, actor, params.alert_iid),
})
