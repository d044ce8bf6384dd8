import { sql } from 'kysely'
import { jsonText, locked, portionsOf, type Tx, within } from '../../../infra/database/index.ts'
import type { AlertRow, NewAlertRow } from '../tables.ts'

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
export type OpenAlert = Pick<
  AlertRow,
  'id' | 'iid' | 'title' | 'fingerprint' | 'loose_fingerprint' | 'issue_id' | 'started_at'
>

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
    .select(['id', 'iid', 'title', 'fingerprint', 'loose_fingerprint', 'issue_id', 'started_at'])
    .where('project_id', '=', projectId)
    .where(within(tx, column, fingerprints))
    .where(isOpen)
    .orderBy('id')
  return locked(tx, query).execute()
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
