import { recordNotFound, type UserActor } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Issue } from './access.ts'
import { holdIssue } from './store.ts'
import { changeHeld, stateColumns } from './update.ts'

/** Closes an issue as a duplicate of another one (contract 16, "Rules"). */
export async function markDuplicate(
  platform: Platform,
  issue: Issue,
  original: Issue,
  actor: UserActor,
): Promise<void> {
  const origin = { userId: actor.userId, at: now(platform.clock) }
  await platform.database.write(async (tx) => {
    const row = await holdIssue(tx, issue.row.id)
    if (!row) throw recordNotFound()
    const columns = { ...stateColumns(row, 'closed', origin), duplicated_to_id: original.row.id }
    await changeHeld(platform, tx, { row, project: issue.project }, { columns }, { actor, origin })
  })
}
