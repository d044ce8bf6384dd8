import { sql } from 'kysely'
import { type Reader, withinPairs } from '../../../../infra/database/index.ts'
import { effectiveMemberships } from '../../../access/index.ts'
import type { Place } from '../../../issuables/index.ts'
import type { ProjectRow } from '../../../projects/index.ts'
import type { IssueRow } from '../../tables.ts'

/** The levels of these users in a project; those without a role are absent. */
export async function levelsIn(
  db: Reader,
  { id, namespace_id: namespaceId }: ProjectRow,
  { userIds, today }: { userIds: readonly number[]; today: string },
): Promise<ReadonlyMap<number, number>> {
  const members = effectiveMemberships(db, { kind: 'project', id, namespaceId }, { userIds, today })
  const query = sql<{
    user_id: number
    access_level: number
  }>`select user_id, access_level from (${members}) memberships`
  const { rows } = await db.executeQuery(query.compile(db as never))
  return new Map(rows.map(({ user_id, access_level }) => [user_id, access_level]))
}

/** The issues with these numbers in their projects. */
export async function issuesAt(db: Reader, places: readonly Place[]): Promise<IssueRow[]> {
  const pairs = places.flatMap(({ projectId, iid }) => (projectId === undefined ? [] : [[projectId, iid] as const]))
  if (pairs.length === 0) return []
  const query = db.selectFrom('issues').selectAll()
  return query.where(withinPairs(db, ['issues.project_id', 'issues.iid'], pairs)).execute()
}
