import { now, portionsOf, type Tx } from '../../../infra/database/index.ts'
import { enqueueAll, type Job, type Platform, react, sendsMail } from '../../../platform/index.ts'
import { nextInternalIds } from '../../../platform/internal-ids/index.ts'
import { alertBotId } from '../../users/index.ts'
import { closeIncidentJob, openIncidentJob } from '../incidents/jobs.ts'
import { mailAlertJob } from '../mails/mails.ts'
import { insertNotes, type NewNote } from '../notes/store.ts'
import { settingsOfAlerts } from '../settings/store.ts'
import { type Change, mergeOccurrences, type Received } from './merge.ts'
import * as store from './store.ts'

/** Notes or jobs in one statement. */
const rowsAtOnce = 200

/** An alert that a delivery has created, counted or resolved (contract 07, Ingestion result). */
export type Recorded = { iid: number; title: string }

/** An alert after its change. */
type Written = Recorded & { id: number; issueId: number | null; isNew: boolean; change: Change }

/** Groups values by a key of them. */
const grouped = <Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key) => [...Map.groupBy(values, keyOf)]

/** Changes the stored alerts. */
async function writeChanges(tx: Tx, changes: readonly Change[], moment: string): Promise<Written[]> {
  const written = changes.flatMap((change) => {
    const { stored } = change
    if (!stored) return []
    const { id, iid, title, issue_id: issueId } = stored
    return [{ id, iid, title, issueId, isNew: false, change }]
  })
  for (const [events, same] of grouped(written, ({ change }) => change.events)) {
    if (events > 0) await store.addEvents(tx, idsOf(same), events, moment)
  }
  for (const [endedAt, same] of grouped(written, ({ change }) => change.endedAt)) {
    if (endedAt !== null) await store.resolveAlerts(tx, idsOf(same), endedAt, moment)
  }
  return written
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id)

function rowOf(projectId: number, iid: number, { first, events, endedAt }: Change, moment: string) {
  const { occurrence, integrationId } = first
  return {
    project_id: projectId,
    iid,
    title: occurrence.title,
    description: occurrence.description,
    severity: occurrence.severity,
    status: endedAt === null ? ('triggered' as const) : ('resolved' as const),
    service: occurrence.service,
    monitoring_tool: occurrence.monitoringTool,
    hosts: occurrence.hosts,
    started_at: occurrence.startedAt,
    ended_at: endedAt,
    event_count: events,
    fingerprint: occurrence.fingerprint,
    loose_fingerprint: occurrence.looseFingerprint,
    environment_name: occurrence.environmentName,
    runbook: occurrence.runbook,
    full_query: occurrence.fullQuery,
    y_label: occurrence.yLabel,
    format: occurrence.format,
    payload: occurrence.payload,
    integration_id: integrationId,
    assignee_id: null,
    issue_id: null,
    created_at: moment,
    updated_at: moment,
  }
}

/** Inserts the new alerts; after `writeChanges`, since an alert that was just resolved may have the same fingerprint. */
async function writeNew(tx: Tx, projectId: number, changes: readonly Change[], moment: string): Promise<Written[]> {
  const fresh = changes.filter(({ stored }) => stored === null)
  if (fresh.length === 0) return []
  const first = await nextInternalIds(tx, { projectId }, 'alerts', fresh.length)
  const rows = fresh.map((change, index) => rowOf(projectId, first + index, change, moment))
  const stored = await store.insertAlerts(tx, rows)
  const byIid = new Map(stored.map((row) => [row.iid, row]))
  const byFingerprint = new Map(stored.map((row) => [row.fingerprint, row]))
  return fresh.map((change, index) => {
    const { title, iid, fingerprint } = rows[index] as (typeof rows)[number]
    // Another process may have inserted an alert with the fingerprint.
    const row = byIid.get(iid) ?? byFingerprint.get(fingerprint)
    if (!row) throw new Error('an alert was not stored')
    return { id: row.id, iid: row.iid, title, issueId: row.issue_id, isNew: row.iid === iid, change }
  })
}

const logged = 'logged an alert'
const recovered = 'logged a recovery alert'

function notesOf({ id: alertId, isNew, change }: Written, authorId: number): NewNote[] {
  const bodies = [...(isNew ? [logged] : []), ...(change.endedAt === null ? [] : [recovered])]
  return bodies.map((body) => ({ alertId, authorId, body }))
}

/** Enqueues a job for each of these alerts. */
async function enqueueFor<More extends object>(
  platform: Platform,
  tx: Tx,
  job: Job<{ alertId: number } & More>,
  alerts: readonly Written[],
  more: More,
): Promise<void> {
  for (const part of portionsOf(alerts, rowsAtOnce)) {
    const payloads = part.map(({ id }) => ({ alertId: id, ...more }))
    await enqueueAll(platform, tx, job, payloads)
  }
}

const isRecovery = ({ isNew, change: { endedAt } }: Written) => !isNew && endedAt !== null
const isTriggered = ({ isNew, change: { endedAt } }: Written) => isNew && endedAt === null

/** Enqueues what follows: incidents are opened and closed, and mails are sent, in the background. */
async function follow(
  platform: Platform,
  tx: Tx,
  { projectId, userId }: { projectId: number; userId: number },
  written: readonly Written[],
): Promise<void> {
  const [triggered, resolved] = [written.filter(isTriggered), written.filter(isRecovery)]
  for (const [status, alerts] of [['triggered', triggered] as const, ['resolved', resolved] as const]) {
    const alertIds = idsOf(alerts)
    if (alertIds.length > 0) await react(platform, tx, 'alerts.turned', { projectId, userId, alertIds, status })
  }
  const settings = await settingsOfAlerts(tx, projectId)
  const opened = written.filter(({ issueId, change: { endedAt } }) => {
    return settings.create_issue && endedAt === null && issueId === null
  })
  const closed = written.filter(({ issueId, change: { endedAt } }) => {
    return settings.auto_close_incident && endedAt !== null && issueId !== null
  })
  await enqueueFor(platform, tx, openIncidentJob, opened, {})
  await enqueueFor(platform, tx, closeIncidentJob, closed, {})
  if (!settings.send_email || !sendsMail(platform)) return
  await enqueueFor(platform, tx, mailAlertJob, triggered, { occasion: 'triggered' })
  await enqueueFor(platform, tx, mailAlertJob, resolved, { occasion: 'resolved' })
}

/**
 * Records occurrences of one project, one after another (contract 07, Rules: Ingestion).
 * @returns the alert of each occurrence
 */
export async function recordOccurrences(
  platform: Platform,
  tx: Tx,
  projectId: number,
  received: readonly Received[],
): Promise<Recorded[]> {
  const moment = now(platform.clock)
  const occurrences = received.map(({ occurrence }) => occurrence)
  const exact = new Set(occurrences.flatMap(({ fingerprint }) => fingerprint ?? []))
  const loose = new Set(
    occurrences.flatMap(({ endedAt, fingerprint, looseFingerprint }) =>
      endedAt !== null && looseFingerprint !== null && looseFingerprint === fingerprint ? looseFingerprint : [],
    ),
  )
  const open = [
    ...(await store.holdOpenAlerts(tx, projectId, 'fingerprint', [...exact])),
    ...(await store.holdOpenAlerts(tx, projectId, 'loose_fingerprint', [...loose])),
  ]
  const { changes, changeOf } = mergeOccurrences(received, open)
  const written = [...(await writeChanges(tx, changes, moment)), ...(await writeNew(tx, projectId, changes, moment))]
  const authorId = await alertBotId(platform, tx)
  const notes = written.flatMap((one) => notesOf(one, authorId))
  for (const part of portionsOf(notes, rowsAtOnce)) await insertNotes(tx, part, moment)
  await follow(platform, tx, { projectId, userId: authorId }, written)
  const alertOf = new Map(written.map(({ change, iid, title }) => [change, { iid, title }]))
  return changeOf.map((change) => alertOf.get(change) as Recorded)
}
