import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../policy.ts'
import { type OwnRoles, reachesProject } from './reach.ts'

/** Projects `p` in which a user has a role that is not inherited, and what is `above` them. */
const projectsWithAbove = (db: Reader, roles: OwnRoles) => sql`projects p cross join namespace_ancestors above
  where ${reachesProject(db, roles, sql.ref('p.id'), role.guest)} and p.pending_delete = false
    and above.namespace_id = p.namespace_id`

/**
 * Whether a user is a member of a project at any depth below a group, or belongs to a group that is invited to one. Such a user sees the
 * group, without a role in it (contract 21 R3).
 */
export async function hasProjectBelow(db: Reader, roles: OwnRoles, groupId: number): Promise<boolean> {
  if (roles.loaded?.projects.size === 0) return false
  const query = sql`select 1 as one from ${projectsWithAbove(db, roles)} and above.ancestor_id = ${groupId} limit 1`
  return (await query.execute(db as never)).rows.length > 0
}

/**
 * The namespaces above the projects of which `hasProjectBelow` speaks. None for a user with so many roles that they are not loaded: the
 * ids would be as many.
 */
export async function namespacesAboveProjects(db: Reader, roles: OwnRoles): Promise<number[]> {
  if (!roles.loaded || roles.loaded.projects.size === 0) return []
  const query = sql<{ id: number }>`select distinct above.ancestor_id as id from ${projectsWithAbove(db, roles)}`
  return (await query.execute(db as never)).rows.map(({ id }) => id)
}
