import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import { effectiveMemberships, role } from '../../access/index.ts'
import type { Project } from '../../projects/index.ts'

/** The owners and maintainers of a project, direct and inherited. @param today a day, `2026-03-01` */
export async function maintainerIds(
  db: Reader,
  { id, namespace_id: namespaceId }: Pick<Project, 'id' | 'namespace_id'>,
  today: string,
): Promise<number[]> {
  const query = sql<{ user_id: number }>`
    select user_id from (${effectiveMemberships(db, { kind: 'project', id, namespaceId }, { today })}) memberships
    where access_level >= ${role.maintainer} order by user_id`
  return (await query.execute(db as never)).rows.map(({ user_id }) => user_id)
}
