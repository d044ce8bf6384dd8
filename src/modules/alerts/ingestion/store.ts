import { sql } from 'kysely'
import { jsonText, prepareQuery, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { AlertRow, IntegrationRow, IntegrationType, NewAlertRow } from '../tables.ts'
import { portionsOf } from './portions.ts'

const byPath = prepareQuery((db, { key }: { key: string }) =>
  db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .selectAll('projects')
    .where('routes.path_key', '=', key)
    .where('routes.redirect', '=', false)
    .where('projects.pending_delete', '=', false),
)

/** The project with this path; former paths lead nowhere (contract 2.22). */
export async function projectAtPath(db: Reader, path: string): Promise<ProjectRow | null> {
  return (await byPath(db, { key: path.toLowerCase() }))[0] ?? null
}

const byIdentifier = prepareQuery((db, { projectId, identifier }: { projectId: number; identifier: string }) =>
  db
    .selectFrom('alert_integrations')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('endpoint_identifier', '=', identifier),
)

export async function integrationAt(db: Reader, projectId: number, identifier: string): Promise<IntegrationRow | null> {
  return (await byIdentifier(db, { projectId, identifier }))[0] ?? null
}

/** Whether a project has an active integration with a key. */
export async function hasActiveKey(db: Reader, projectId: number): Promise<boolean> {
  const query = db.selectFrom('alert_integrations').select('id').where('project_id', '=', projectId)
  const active = query.where('active', '=', true).where('token_digest', 'is not', null)
  return (await active.limit(1).executeTakeFirst()) !== undefined
}

/** The active integration of a project with the digest of this key; `preferred` when there are two. */
export async function integrationWithKey(
  db: Reader,
  projectId: number,
  digest: string,
  preferred: IntegrationType,
): Promise<IntegrationRow | null> {
  const query = db.selectFrom('alert_integrations').selectAll().where('project_id', '=', projectId)
  const active = query.where('active', '=', true).where('token_digest', '=', digest)
  const found = await active.orderBy((eb) => eb.case().when('type', '=', preferred).then(0).else(1).end()).limit(1)
  return (await found.executeTakeFirst()) ?? null
}

/**
 * Records that integrations have received something, and holds their rows: they cannot be deleted until the transaction ends.
 * @returns the ids of those that are there
 */
export async function holdReceiving(tx: Tx, ids: readonly number[], moment: string): Promise<Set<number>> {
  const query = tx
    .updateTable('alert_integrations')
    .set({ last_received_at: moment })
    .where(within(tx, 'id', ids))
  return new Set((await query.returning('id').execute()).map(({ id }) => id))
}

/** What recording needs to know of an alert that is not resolved. */
export type OpenAlert = Pick<AlertRow, 'id' | 'iid' | 'title' | 'fingerprint' | 'loose_fingerprint' | 'issue_id'>

const isOpen = sql<boolean>`status <> 'resolved'`

/** The open alerts of a project with one of these fingerprints. They are held until the transaction ends. */
export async function holdOpenAlerts(
  tx: Tx,
  projectId: number,
  column: 'fingerprint' | 'loose_fingerprint',
  fingerprints: readonly string[],
): Promise<OpenAlert[]> {
  if (fingerprints.length === 0) return []
  const query = tx
    .selectFrom('alerts')
    .select(['id', 'iid', 'title', 'fingerprint', 'loose_fingerprint', 'issue_id'])
    .where('project_id', '=', projectId)
    .where(within(tx, column, fingerprints))
    .where(isOpen)
    .orderBy('id')
  return (tx.engine === 'postgres' ? query.forUpdate() : query).execute()
}

/** Counts that many more events of each of these alerts. */
export async function addEvents(tx: Tx, ids: readonly number[], events: number, moment: string): Promise<void> {
  const query = tx
    .updateTable('alerts')
    .set((eb) => ({ event_count: eb('event_count', '+', events), updated_at: moment }))
  await query.where(within(tx, 'id', ids)).execute()
}

export async function resolveAlerts(tx: Tx, ids: readonly number[], endedAt: string, moment: string): Promise<void> {
  const query = tx.updateTable('alerts').set({ status: 'resolved', ended_at: endedAt, updated_at: moment })
  await query.where(within(tx, 'id', ids)).execute()
}

/** Alerts in one statement, so that it does not have too many parameters. */
const rowsAtOnce = 50

export type StoredAlert = { id: number; iid: number; fingerprint: string | null; issue_id: number | null }

/**
 * Inserts alerts. One that is not resolved and whose fingerprint an open alert has meanwhile counts as events of that alert.
 * @returns the rows in any order; such an alert has another iid than was given
 */
export async function insertAlerts(
  tx: Tx,
  alerts: readonly (Omit<NewAlertRow, 'hosts'> & { hosts: string[] })[],
): Promise<StoredAlert[]> {
  const stored: StoredAlert[] = []
  for (const part of portionsOf(alerts, rowsAtOnce)) {
    const rows = await tx
      .insertInto('alerts')
      .values(part.map(({ hosts, ...alert }) => ({ ...alert, hosts: jsonText(hosts) })))
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'fingerprint'])
          .where(sql<boolean>`status <> 'resolved' and fingerprint is not null`)
          .doUpdateSet({
            event_count: sql`alerts.event_count + excluded.event_count`,
            updated_at: sql`excluded.updated_at`,
          }),
      )
      .returning(['id', 'iid', 'fingerprint', 'issue_id'])
      .execute()
    stored.push(...rows)
  }
  return stored
}
