import { now } from '../../../infra/database/index.ts'
import { type Reaction, react } from '../../../platform/index.ts'
import { insertNotes } from '../notes/store.ts'
import * as store from './store.ts'

/** Resolves the alerts of an incident that was closed (contract 07, Status machine). */
export const resolveAlertsOfIncident: Reaction<{ issueId: number; userId: number }> = async (
  platform,
  tx,
  { issueId, userId },
) => {
  const moment = now(platform.clock)
  const resolved = await store.resolveAlertsOfIssue(tx, issueId, moment)
  const body = 'changed the status to **Resolved** by closing the incident'
  const notes = resolved.map(({ id: alertId }) => ({ alertId, authorId: userId, body }))
  await insertNotes(tx, notes, moment)
  for (const [projectId, alerts] of Map.groupBy(resolved, ({ project_id }) => project_id)) {
    const alertIds = alerts.map(({ id }) => id)
    await react(platform, tx, 'alerts.turned', { projectId, userId, alertIds, status: 'resolved' })
  }
}

/** Unlinks the alerts of an incident that is about to be deleted. */
export const unlinkRemovedIncident: Reaction<{ issueId: number }> = (_platform, tx, { issueId }) =>
  store.unlinkIncident(tx, issueId)
