import { type Actor, notFound, type Unmodified } from '../../../api/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { deleteIssuable } from '../../issuables/index.ts'
import { deleteUserAgents } from '../../spam/index.ts'
import { type Issue, issuableOf, requireDelete } from './access.ts'
import { deleteIssueRow, holdIssue } from './store.ts'

/**
 * Deletes an issue with everything that hangs on it (contract 16, x.issue_delete).
 * @throws ApiError 403 for others than planners, owners and administrators; 404; 412
 */
export async function deleteIssue(
  platform: Platform,
  issue: Issue,
  actor: Actor,
  unmodified: Unmodified,
): Promise<void> {
  requireDelete(actor, issue)
  await platform.database.write(async (tx) => {
    const held = await holdIssue(tx, issue.row.id)
    if (!held) throw notFound('Issue')
    unmodified(held.updated_at)
    await react(platform, tx, 'issue.removed', { issueId: held.id })
    await deleteIssuable(tx, issuableOf(held))
    await deleteUserAgents(tx, 'Issue', [held.id])
    await deleteIssueRow(tx, held.id)
  })
}
