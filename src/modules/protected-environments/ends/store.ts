import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'

/** Whose entries may have ended: those of a project, those of a group and of everything below it, or those of a user. */
export type Ended = { projectId: number } | { namespaceId: number } | { userId: number }

/** A protected environment with its project or group, and the namespace from which roles are inherited. */
export type ProtectionKey = { id: number; kind: 'project' | 'group'; ownerId: number; namespaceId: number }

function chosen(ended: Ended) {
  if ('projectId' in ended) return sql<boolean>`e.project_id = ${ended.projectId}`
  if ('userId' in ended) {
    return sql<boolean>`e.id in (
      select protected_environment_id from protected_environment_deploy_levels where user_id = ${ended.userId}
      union all
      select protected_environment_id from protected_environment_approval_rules where user_id = ${ended.userId})`
  }
  const below = sql`select namespace_id from namespace_ancestors where ancestor_id = ${ended.namespaceId}`
  return sql<boolean>`e.id in (
    select own.id from protected_environments own where own.namespace_id in (${below})
    union all
    select own.id from projects p join protected_environments own on own.project_id = p.id where p.namespace_id in (${below}))`
}

/** The protected environments with entries that may have ended, in portions by id. */
export async function protectionsAfter(
  db: Reader,
  ended: Ended,
  afterId: number,
  limit: number,
): Promise<ProtectionKey[]> {
  const { rows } = await sql<{ id: number; project_id: number | null; owner_id: number; inherits_id: number }>`
    select e.id, e.project_id, coalesce(e.project_id, e.namespace_id) as owner_id,
      coalesce(p.namespace_id, e.namespace_id) as inherits_id
    from protected_environments e left join projects p on p.id = e.project_id
    where e.id > ${afterId} and ${chosen(ended)} order by e.id limit ${limit}`.execute(db as never)
  return rows.map(({ id, project_id, owner_id, inherits_id }) => {
    return { id, kind: project_id === null ? 'group' : 'project', ownerId: owner_id, namespaceId: inherits_id }
  })
}
