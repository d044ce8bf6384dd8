import { locked, rows, type Tx } from '../../../infra/database/index.ts'
import { type AlertRow, alerts } from '../tables.ts'

export const { byId: alertById, byIds: alertsByIds } = rows(alerts)

/** The locked row of an alert. */
export async function holdAlert(tx: Tx, id: number): Promise<AlertRow | null> {
  const query = tx.selectFrom('alerts').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

export async function linkIncident(tx: Tx, id: number, issueId: number, moment: string): Promise<void> {
  await tx.updateTable('alerts').set({ issue_id: issueId, updated_at: moment }).where('id', '=', id).execute()
}

/** Resolves the open alerts of an incident. @returns them */
export async function resolveAlertsOfIssue(
  tx: Tx,
  issueId: number,
  moment: string,
): Promise<Pick<AlertRow, 'id' | 'project_id'>[]> {
  const query = tx.updateTable('alerts').set({ status: 'resolved', ended_at: moment, updated_at: moment })
  const open = query.where('issue_id', '=', issueId).where('status', '<>', 'resolved')
  return open.returning(['id', 'project_id']).execute()
}

export async function unlinkIncident(tx: Tx, issueId: number): Promise<void> {
  await tx.updateTable('alerts').set({ issue_id: null }).where('issue_id', '=', issueId).execute()
}
