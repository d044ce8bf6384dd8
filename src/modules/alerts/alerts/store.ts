import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds } from '../../../api/index.ts'
import {
  anyContains,
  type Condition,
  findsText,
  locked,
  type Reader,
  type Tables,
  type Tx,
  unindexed,
  within,
} from '../../../infra/database/index.ts'
import type { AlertRow, AlertRowChanges, AlertStatus, IntegrationType, Severity } from '../tables.ts'
import type { AlertFilter } from './params.ts'

/** Without the payload, which may be large. */
const listed = [
  'id',
  'project_id',
  'iid',
  'title',
  'description',
  'severity',
  'status',
  'service',
  'monitoring_tool',
  'hosts',
  'started_at',
  'ended_at',
  'event_count',
  'fingerprint',
  'environment_name',
  'runbook',
  'full_query',
  'y_label',
  'integration_id',
  'assignee_id',
  'issue_id',
  'created_at',
  'updated_at',
] as const

export type ListedAlert = Pick<AlertRow, (typeof listed)[number]>

/** The user that a filter names; null: none of them. */
export type AssigneeFilter = { kind: 'none' } | { kind: 'any' } | { kind: 'user'; userId: number | null }

export type CountQuery = { projectId: number; search?: string; assignee: AssigneeFilter | undefined }
export type AlertQuery = CountQuery & Omit<AlertFilter, 'search' | 'assignee_username'>

type Selection<Row> = SelectQueryBuilder<Tables, 'alerts', Row>

/** @param found `findsText` */
function counted<Row>(
  db: Reader,
  selection: Selection<Row>,
  { projectId, search, assignee }: CountQuery,
  found: Condition | null,
): Selection<Row> {
  const project = found ? unindexed(db, 'alerts.project_id') : sql.ref('alerts.project_id')
  let query = selection.where(sql<boolean>`${project} = ${projectId}`)
  if (found) query = query.where(found)
  if (search) query = query.where(anyContains(['title', 'description', 'monitoring_tool', 'service'], search))
  if (assignee?.kind === 'none') query = query.where('assignee_id', 'is', null)
  if (assignee?.kind === 'any') query = query.where('assignee_id', 'is not', null)
  if (assignee?.kind === 'user') query = query.where('assignee_id', '=', assignee.userId ?? 0)
  return query
}

function filtered<Row>(
  db: Reader,
  selection: Selection<Row>,
  filter: AlertQuery,
  hits: Condition | null,
): Selection<Row> {
  let query = counted(db, selection, filter, hits)
  const { status, severity, iids, issue_id, environment_name, monitoring_tool, created_after, created_before } = filter
  if (status) query = query.where(within(db, 'status', status))
  if (severity) query = query.where(within(db, 'severity', severity))
  if (iids) query = query.where(within(db, 'iid', iids))
  if (issue_id !== undefined) query = query.where('issue_id', '=', issue_id)
  if (environment_name !== undefined) query = query.where('environment_name', '=', environment_name)
  if (monitoring_tool !== undefined) query = query.where('monitoring_tool', '=', monitoring_tool)
  if (created_after !== undefined) query = query.where('created_at', '>=', created_after)
  if (created_before !== undefined) query = query.where('created_at', '<=', created_before)
  return query
}

/** The rank of a word in a column. */
const rankIn = (column: string, words: readonly string[]): RawBuilder<number> => {
  const cases = words.map((word, rank) => sql`when ${sql.lit(word)} then ${sql.lit(rank)}`)
  return sql<number>`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`
}

const bySeverity = rankIn('severity', ['unknown', 'info', 'low', 'medium', 'high', 'critical'])
const byStatus = rankIn('status', ['triggered', 'acknowledged', 'resolved', 'ignored'])

/** A page of the alerts of a project; ties by the newest iid, alerts without the value of the order last. */
export async function pageOfAlerts(db: Reader, filter: AlertQuery, page: PageRequest): Promise<Page<ListedAlert>> {
  const { order_by: orderBy = 'started_at', sort = 'desc', search } = filter
  const hits = search ? await findsText(db, 'alerts', search) : null
  const found = filtered(db, db.selectFrom('alerts').select('id'), filter, hits)
  const column = orderBy === 'severity' ? bySeverity : orderBy === 'status' ? byStatus : orderBy
  const known = orderBy === 'ended_at' ? found.orderBy(sql`ended_at is null`) : found
  return pageOfIds(db, known.orderBy(column, sort).orderBy('iid', 'desc'), page, (ids) => listedByIds(db, ids))
}

async function listedByIds(db: Reader, ids: readonly number[]): Promise<Map<number, ListedAlert>> {
  const query = db.selectFrom('alerts').select(listed)
  const rows = await query.where(within(db, 'id', ids)).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** The numbers of alerts of a project by status. */
export async function countByStatus(db: Reader, query: CountQuery): Promise<Map<AlertStatus, number>> {
  const hits = query.search ? await findsText(db, 'alerts', query.search) : null
  const counts = counted(db, db.selectFrom('alerts'), query, hits)
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('status')
  return new Map((await counts.execute()).map(({ status, count }) => [status, Number(count)]))
}

/** The numbers of alerts of a project by severity. @param statuses of those with one of these only */
export async function countBySeverity(
  db: Reader,
  query: CountQuery,
  statuses: readonly AlertStatus[] | undefined,
): Promise<Map<Severity, number>> {
  const hits = query.search ? await findsText(db, 'alerts', query.search) : null
  const found = counted(db, db.selectFrom('alerts'), query, hits)
  const counts = (statuses ? found.where(within(db, 'status', statuses)) : found)
    .select(['severity', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('severity')
  return new Map((await counts.execute()).map(({ severity, count }) => [severity, Number(count)]))
}

export async function alertByIid(db: Reader, projectId: number, iid: number): Promise<AlertRow | null> {
  const query = db.selectFrom('alerts').selectAll().where('project_id', '=', projectId).where('iid', '=', iid)
  return (await query.executeTakeFirst()) ?? null
}

/** Like `alertByIid`; the row cannot be changed by others until the transaction ends. */
export async function holdAlertByIid(tx: Tx, projectId: number, iid: number): Promise<AlertRow | null> {
  const query = tx.selectFrom('alerts').selectAll().where('project_id', '=', projectId).where('iid', '=', iid)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** The iid of the open alert of a project with a fingerprint. */
export async function openIid(db: Reader, projectId: number, fingerprint: string): Promise<number | null> {
  const query = db.selectFrom('alerts').select('iid').where('project_id', '=', projectId)
  const open = query.where('fingerprint', '=', fingerprint).where(sql<boolean>`status <> 'resolved'`)
  return (await open.executeTakeFirst())?.iid ?? null
}

/** @throws UniqueViolation of `alerts_open_fingerprint_unique` */
export async function updateAlert(tx: Tx, id: number, changes: AlertRowChanges): Promise<AlertRow> {
  return tx.updateTable('alerts').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** What alerts show of their integrations. */
export type IntegrationFacts = { id: number; name: string; type: IntegrationType }

export async function integrationFacts(db: Reader, ids: readonly number[]): Promise<Map<number, IntegrationFacts>> {
  if (ids.length === 0) return new Map()
  const query = db.selectFrom('alert_integrations').select(['id', 'name', 'type'])
  const rows = await query.where(within(db, 'id', [...new Set(ids)])).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
