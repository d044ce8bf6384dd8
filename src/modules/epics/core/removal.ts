import type { Events, Reaction } from '../../../platform/index.ts'
import { deleteIssuable } from '../../issuables/index.ts'
import { ghostUserId } from '../../users/index.ts'
import { refOf } from './load.ts'
import { changeAuthor, deleteEpic, epicsOfAuthor } from './store.ts'

/** Gives the epics of a removed user to the ghost, or deletes them with the user (contract 16, "Rules"). */
export const moveEpics: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (!hard) return changeAuthor(tx, userId, await ghostUserId(platform, tx))
  for (const row of await epicsOfAuthor(tx, userId)) {
    await deleteIssuable(tx, { ...refOf(row), iid: row.iid })
    await deleteEpic(tx, row.id)
  }
}
