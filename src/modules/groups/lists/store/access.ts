import { sql } from 'kysely'
import { isAdministrator } from '../../../../api/index.ts'
import {
  type Condition,
  type ListContext,
  neverTrue,
  type Predicate,
  type PredicateUse,
  type TestUse,
} from '../../../../infra/database/index.ts'
import { isAmong } from '../../../access/index.ts'
import { isReached, namespaceId, onUse } from '../../../namespaces/index.ts'
import type { Viewer } from '../viewer.ts'
import { isVisibleTo } from './selection.ts'

/** @property viewer whom the list is for */
export type GroupContext = ListContext & { viewer: Viewer }

/** Whether a condition holds for a group, or it is one of these. */
function isOneOf({ db }: GroupContext, found: Condition, ids: readonly number[], use: PredicateUse): Condition {
  if (ids.length === 0) return found
  const isOne = isAmong(db, namespaceId(db, use), ids, use)
  // SQLite uses no index for a condition that is part of an `or` without one.
  return found === neverTrue ? isOne : sql<boolean>`(${found} or ${isOne})`
}

/** The groups that the viewer can see; none for those who see all. @param others ids of further ones */
export function seenBy(context: GroupContext, others: readonly number[] = []): Predicate[] {
  const { db, viewer } = context
  if (isAdministrator(viewer.actor)) return []
  const seen = (use: TestUse) => isOneOf(context, isVisibleTo(db, viewer, use), others, use)
  return [{ holds: seen('tests'), holdsForMany: seen('counts') }]
}

/** The groups in which the viewer has at least this role, of its own or inherited. @param others ids of further ones */
export const reachedBy = (context: GroupContext, least: number, others: readonly number[] = []): Predicate =>
  onUse((use) => isOneOf(context, isReached(context.db, context.viewer.roles, least, use), others, use))
