import { now } from '../../../infra/database/index.ts'
import type { Reaction } from '../../../platform/index.ts'
import { insertNotes } from '../notes/store.ts'
import * as store from './store.ts'

/** Resolves the alerts of an incident that was closed (contract 07, Status machine). */
export const resolveAlertsOfIncident: Reaction<{ issueId: number; userId: number }> = async (
  { clock },
  tx,
  { issueId, userId: authorId },
) => {
  const moment = now(clock)
  const ids = await store.resolveAlertsOfIssue(tx, issueId, moment)
  const body = 'changed the status to **Resolved** by closing the incident'
  const notes = ids.map((alertId) => ({ alertId, authorId, body }))
  await insertNotes(tx, notes, moment)
}

/** Unlinks the alerts of an incident that is about to be deleted. */
export const unlinkRemovedIncident: Reaction<{ issueId: number }> = (_platform, tx, { issueId }) =>
  store.unlinkIncident(tx, issueId)
