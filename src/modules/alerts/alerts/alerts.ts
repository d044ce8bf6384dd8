import { type Actor, ApiError, conflict, notFound, type PageRequest, requireSignedIn } from '../../../api/index.ts'
import { isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { type UserRow, userById, userByUsername } from '../../users/index.ts'
import { openIncidentOf } from '../incidents/incidents.ts'
import { insertNotes } from '../notes/store.ts'
import { detailsOf } from '../payloads/details.ts'
import type { AlertRow, AlertRowChanges, AlertStatus, Severity } from '../tables.ts'
import { wantedAssignee } from './assignees.ts'
import type { AlertChanges, AlertFilter, CountFilter, SeverityCountFilter } from './params.ts'
import { Alert, AlertDetail } from './present.ts'
import * as store from './store.ts'

/** An alert of a project. @throws ApiError 404 */
export async function requireAlert(db: Reader, project: Project, iid: number): Promise<AlertRow> {
  const row = await store.alertByIid(db, project.id, iid)
  if (!row) throw notFound('Alert')
  return row
}

async function assigneeFilter(db: Reader, text: string | undefined): Promise<store.AssigneeFilter | undefined> {
  if (!text) return undefined
  const word = text.toLowerCase()
  if (word === 'none' || word === 'any') return { kind: word }
  return { kind: 'user', userId: (await userByUsername(db, text))?.id ?? null }
}

/** A page of the alerts of a project (contract 07, x.alert_list). */
export async function listAlerts(platform: Platform, project: Project, filter: AlertFilter, page: PageRequest) {
  const db = platform.database.read
  const assignee = await assigneeFilter(db, filter.assignee_username)
  const query = { ...filter, assignee, projectId: project.id }
  const found = await store.pageOfAlerts(db, query, page)
  return { ...found, items: await Alert.presentAll(found.items, { platform, project }) }
}

/** The numbers of alerts by status (contract 07, x.alert_status_counts). */
export async function countAlerts({ database }: Platform, project: Project, filter: CountFilter) {
  const assignee = await assigneeFilter(database.read, filter.assignee_username)
  const counts = await store.countByStatus(database.read, { ...filter, projectId: project.id, assignee })
  const of = (status: AlertStatus) => counts.get(status) ?? 0
  const [triggered, acknowledged, resolved, ignored] = [
    of('triggered'),
    of('acknowledged'),
    of('resolved'),
    of('ignored'),
  ]
  const open = triggered + acknowledged
  return { all: open + resolved + ignored, open, triggered, acknowledged, resolved, ignored }
}

/** The numbers of alerts by severity (contract 07, x.alert_severity_counts). */
export async function countSeverities({ database }: Platform, project: Project, filter: SeverityCountFilter) {
  const assignee = await assigneeFilter(database.read, filter.assignee_username)
  const query = { ...filter, projectId: project.id, assignee }
  const counts = await store.countBySeverity(database.read, query, filter.status)
  const of = (severity: Severity) => counts.get(severity) ?? 0
  return {
    critical: of('critical'),
    high: of('high'),
    medium: of('medium'),
    low: of('low'),
    info: of('info'),
    unknown: of('unknown'),
  }
}

const presentDetail = (platform: Platform, project: Project, row: AlertRow) =>
  AlertDetail.presentOne({ ...row, ...detailsOf(row) }, { platform, project })

/** One alert with its payload (contract 07, x.alert_get). @throws ApiError 404 */
export async function getAlert(platform: Platform, project: Project, iid: number) {
  return presentDetail(platform, project, await requireAlert(platform.database.read, project, iid))
}

const capitalised = (status: string) => status.charAt(0).toUpperCase() + status.slice(1)

/** What changes, with a note for each change. */
async function changesOf(
  tx: Tx,
  row: AlertRow,
  status: AlertStatus,
  assignee: UserRow | null | undefined,
  moment: string,
) {
  const changes: AlertRowChanges = {}
  const notes: string[] = []
  if (status !== row.status) {
    Object.assign(changes, { status, ended_at: status === 'resolved' ? moment : null })
    notes.push(`changed the status to **${capitalised(status)}**`)
  }
  const assigneeId = assignee === undefined ? row.assignee_id : (assignee?.id ?? null)
  if (assigneeId !== row.assignee_id) {
    changes.assignee_id = assigneeId
    const former = row.assignee_id === null ? null : await userById(tx, row.assignee_id)
    const parts = [assignee ? `assigned to @${assignee.username}` : '', former ? `unassigned @${former.username}` : '']
    notes.push(parts.filter((part) => part !== '').join(' and '))
  }
  return { changes, notes }
}

/** Announces that a user has triggered or resolved an alert. */
async function announceStatus(
  platform: Platform,
  tx: Tx,
  { id, project_id: projectId }: AlertRow,
  userId: number,
  status?: AlertStatus,
) {
  if (status !== 'triggered' && status !== 'resolved') return
  await react(platform, tx, 'alerts.turned', { projectId, userId, alertIds: [id], status })
}

/** 409: another open alert has the fingerprint (contract 07, x.alert_update). */
function alreadyOpen(iid: number): ApiError {
  const message =
    'An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert.'
  return new ApiError('alert_already_open', 409, { message, alert_iid: iid })
}

/** Changes the status and the assignee of an alert (contract 07, x.alert_update). @throws ApiError 400, 404, 409 */
export async function updateAlert(
  platform: Platform,
  project: Project,
  actor: Actor,
  iid: number,
  given: AlertChanges,
) {
  const { database, clock } = platform
  const { fingerprint } = await requireAlert(database.read, project, iid)
  const assignee = await wantedAssignee(platform, project, given)
  const { userId: authorId } = requireSignedIn(actor)
  const change = async (tx: Tx) => {
    const row = await store.holdAlertByIid(tx, project.id, iid)
    if (!row) throw notFound('Alert')
    const moment = now(clock)
    const { changes, notes } = await changesOf(tx, row, given.status ?? row.status, assignee, moment)
    if (notes.length === 0) return row
    await insertNotes(
      tx,
      notes.map((body) => ({ alertId: row.id, authorId, body })),
      moment,
    )
    const changed = await store.updateAlert(tx, row.id, { ...changes, updated_at: moment })
    await announceStatus(platform, tx, changed, authorId, changes.status)
    return changed
  }
  for (;;) {
    try {
      return await presentDetail(platform, project, await database.write(change))
    } catch (error) {
      if (!isUniqueViolation(error, 'alerts_open_fingerprint_unique')) throw error
      const open = await store.openIid(database.read, project.id, fingerprint ?? '')
      // Otherwise that alert has been resolved meanwhile.
      if (open !== null) throw alreadyOpen(open)
    }
  }
}

/**
 * Opens an incident for an alert as the caller (contract 07, x.alert_create_incident).
 * @throws ApiError 404 when the project has no issues; 409 when the alert has an incident
 */
export async function createIncident(platform: Platform, project: Project, actor: Actor, iid: number) {
  const { database, ports } = platform
  const alert = await requireAlert(database.read, project, iid)
  const { userId } = requireSignedIn(actor)
  const opened = alert.issue_id === null ? await openIncidentOf(platform, alert.id, userId) : null
  if (opened === null && (await requireAlert(database.read, project, iid)).issue_id !== null) {
    throw conflict('An issue already exists')
  }
  const issue = opened === null ? null : await ports['alerts.present_incident'](platform, opened, actor)
  if (!issue) throw notFound()
  return issue
}
