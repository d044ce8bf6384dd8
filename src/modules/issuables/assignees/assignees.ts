import type { Tx } from '../../../infra/database/index.ts'
import type { IssuableRef } from '../issuable.ts'
import { lockIssuable } from '../store.ts'
import { assigneesOf, replaceAssignees } from './store.ts'

/**
 * Assigns users to an issuable in this order, in place of the present assignees (contract 16, Issue). The caller has removed
 * users who cannot read it.
 * @returns the users who are newly assigned and those who are no longer
 */
export async function setAssignees(
  tx: Tx,
  target: IssuableRef,
  userIds: readonly number[],
): Promise<{ added: number[]; removed: number[] }> {
  await lockIssuable(tx, target)
  const before = (await assigneesOf(tx, target.type, [target.id])).get(target.id) ?? []
  const next = [...new Set(userIds)]
  const isSame = next.length === before.length && next.every((userId, index) => userId === before[index])
  if (!isSame) await replaceAssignees(tx, target, next)
  return {
    added: next.filter((userId) => !before.includes(userId)),
    removed: before.filter((userId) => !next.includes(userId)),
  }
}
