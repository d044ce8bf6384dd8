import type { Tx } from '../../infra/database/index.ts'
import { deleteNoteable, deleteNotes } from '../notes/index.ts'
import type { Issuable, IssuableRef } from './issuable.ts'
import { deleteReferencesOf } from './references/store.ts'
import { deleteRows, lockIssuable } from './store.ts'

/**
 * Deletes everything that hangs on an issuable: labels, assignees, times, events, notes, reactions, subscriptions, to-dos
 * (contract 16, x.issue_delete). The caller deletes its row.
 */
export async function deleteIssuable(tx: Tx, target: IssuableRef & Pick<Issuable, 'iid'>): Promise<void> {
  await lockIssuable(tx, target)
  await deleteNotes(tx, await deleteReferencesOf(tx, target.type, [target.id]))
  await deleteNoteable(tx, { ...target, commitId: null })
  await deleteRows(tx, target.type, [target.id])
}
