import { dayOf, type UserActor } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { projectById, withRole } from '../../projects/index.ts'
import { asIssue, mayChange } from './access.ts'
import { holdIssue } from './store.ts'
import { changeHeld, type IssueChange, stateColumns } from './update.ts'

/**
 * Closes those of these issues that are open and that a user may change (contract 16, "Closing words").
 * @param source the commit or the merge request that closes them
 */
export async function closeIssues(
  platform: Platform,
  tx: Tx,
  ids: readonly number[],
  actor: UserActor,
  source: NonNullable<IssueChange['source']>,
): Promise<void> {
  const origin = { userId: actor.userId, at: now(platform.clock) }
  for (const id of ids) {
    const row = await holdIssue(tx, id)
    const project = row && (await projectById(tx, row.project_id))
    if (!row || !project || row.state === 'closed') continue
    const seen = await withRole(tx, project, actor, dayOf(platform.clock.now()))
    if (!mayChange(actor, await asIssue(tx, row, seen, actor))) continue
    await changeHeld(
      platform,
      tx,
      { row, project },
      { columns: stateColumns(row, 'closed', origin), source },
      { actor, origin },
    )
  }
}
