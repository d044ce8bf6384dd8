import { dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role, usersWithRole } from '../../access/index.ts'
import { usersByIds } from '../../users/index.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import type { RuleProgress } from './progress.ts'
import { someMembersOf } from './store.ts'

/** The most users that are suggested, and the most of whom they are chosen. */
const mostSuggested = 20
const mostCandidates = 500

/**
 * Who could give the approvals that a merge request lacks: the users and the members of the groups that its unfulfilled rules
 * name, as far as they may approve and have not (contract 19, `suggested_approvers`). In the order of the rules, named users
 * before members of groups.
 */
export async function suggestedApprovers(
  { database, clock }: Platform,
  { project, row }: ProjectMergeRequest,
  rules: readonly RuleProgress[],
  { approvers: approvedBy, mayApproveOwn }: { approvers: readonly number[]; mayApproveOwn: boolean },
): Promise<number[]> {
  const db = database.read
  const today = dayOf(clock.now())
  const lacking = rules.flatMap(({ rule, missing }) => (missing > 0 ? [rule] : []))
  const members = await someMembersOf(
    db,
    lacking.flatMap(({ groupIds }) => groupIds),
    { today, limit: mostCandidates },
  )
  const named = lacking.flatMap(({ userIds }) => userIds).slice(0, mostCandidates)
  const candidates = [...new Set([...named, ...members])].filter(
    (id) => !approvedBy.includes(id) && (mayApproveOwn || id !== row.author_id),
  )
  const source = { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const
  const [developers, users] = await Promise.all([
    usersWithRole(db, source, { userIds: candidates, today, least: role.developer }),
    usersByIds(db, candidates),
  ])
  return candidates.filter((id) => developers.has(id) && users.get(id)?.state === 'active').slice(0, mostSuggested)
}
