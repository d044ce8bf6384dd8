import { createHash } from 'node:crypto'
import { type Actor, conflict, forbidden, notFound, recordNotFound, requireSignedIn } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { withTask } from '../../issuables/index.ts'
import { type Issue, mayChange } from '../core/access.ts'
import { holdIssue } from '../core/store.ts'
import { changeHeld } from '../core/update.ts'
import { presentIssue } from '../present/present.ts'

/** A task of a description: the line where it stands, from 1, and whether it shall be completed; without that it is turned around. */
export type TaskChange = { line_number: number; completed?: boolean; description_sha256?: string }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Completes a task of the description, or takes that back (contract 16, x.issue_task_update). @throws ApiError 403, 404, 409 */
export async function changeTask(platform: Platform, issue: Issue, caller: Actor, given: TaskChange) {
  const actor = requireSignedIn(caller)
  if (!mayChange(actor, issue)) throw forbidden()
  const origin = { userId: actor.userId, at: now(platform.clock) }
  const row = await platform.database.write(async (tx) => {
    const held = await holdIssue(tx, issue.row.id)
    if (!held) throw recordNotFound()
    const text = held.description ?? ''
    const known = given.description_sha256
    if (known !== undefined && known !== sha256(text)) throw conflict('The description has changed')
    const description = withTask(text, given.line_number, given.completed)
    if (description === null) throw notFound('Task')
    return changeHeld(
      platform,
      tx,
      { row: held, project: issue.project },
      { columns: { description } },
      { actor, origin },
    )
  })
  return presentIssue(platform, row, actor)
}
