import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import { effectiveMemberships, gives, role } from '../../access/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import type { ProtectedEnvironmentRow } from '../tables.ts'

/** What is read of an environment to find what protects it. */
export type ProtectableEnvironment = { name: string; tier: string }

/** What protects these environments of a project: by their names in the project, by their tiers in the groups above it. */
export async function protecting(
  db: Reader,
  project: { id: number; namespace_id: number },
  environments: readonly ProtectableEnvironment[],
): Promise<ProtectedEnvironmentRow[]> {
  if (environments.length === 0) return []
  const own = await db
    .selectFrom('protected_environments')
    .selectAll()
    .where('project_id', '=', project.id)
    .where(within(db, 'name', [...new Set(environments.map(({ name }) => name))]))
    .execute()
  const inherited = await db
    .selectFrom('namespace_ancestors')
    .innerJoin('protected_environments', 'protected_environments.namespace_id', 'namespace_ancestors.ancestor_id')
    .selectAll('protected_environments')
    .where('namespace_ancestors.namespace_id', '=', project.namespace_id)
    .where(within(db, 'protected_environments.name', [...new Set(environments.map(({ tier }) => tier))]))
    .orderBy('protected_environments.id')
    .execute()
  return [...own, ...inherited]
}

/** The levels of these users in a project or group, by their ids; those without a role are absent. */
export async function levelsIn(
  db: Reader,
  owner: ProjectOrGroupRef,
  userIds: readonly number[],
  today: string,
): Promise<Map<number, number>> {
  if (userIds.length === 0) return new Map()
  const query = sql<{ user_id: number; access_level: number }>`
    select user_id, access_level from (${effectiveMemberships(db, owner, { today, userIds })}) members
      where access_level >= ${sql.lit(role.guest)}
        and exists (select 1 from users where users.id = user_id and users.removed_at is null)`
  return new Map((await query.execute(db as never)).rows.map((row) => [row.user_id, row.access_level]))
}

/**
 * Which of these groups belong to a project or group: invited to it or above it, above it or itself, or, of a group, below it
 * (contract 24, x.protected_environments_create).
 */
export async function groupsOf(
  db: Reader,
  owner: ProjectOrGroupRef,
  groupIds: readonly number[],
  today: string,
): Promise<Set<number>> {
  if (groupIds.length === 0) return new Set()
  const projectId = owner.kind === 'project' ? owner.id : null
  const above = sql`(select ancestor_id from namespace_ancestors where namespace_id = ${owner.namespaceId})`
  const isBelow = sql`exists (select 1 from namespace_ancestors b
    where b.namespace_id = g.id and b.ancestor_id = ${owner.kind === 'group' ? owner.id : null})`
  const { rows } = await sql<{ id: number }>`
    select g.id from namespaces g where g.kind = 'group' and g.pending_delete = false and ${within(db, 'g.id', groupIds)}
      and (g.id in ${above} or ${isBelow}
        or exists (select 1 from group_links l where l.group_id = g.id and ${gives('l', today)}
          and (l.project_id = ${projectId} or l.namespace_id in ${above})))`.execute(db as never)
  return new Set(rows.map(({ id }) => id))
}

/** Members of these groups among these users: directly, and with those of the groups above. */
export async function membersOfGroups(
  db: Reader,
  groupIds: readonly number[],
  userIds: readonly number[],
  today: string,
): Promise<{ groupId: number; userId: number; isDirect: boolean }[]> {
  if (groupIds.length === 0 || userIds.length === 0) return []
  const { rows } = await sql<{ group_id: number; user_id: number; depth: number }>`
    select a.namespace_id as group_id, m.user_id, min(a.depth) as depth
      from namespace_ancestors a cross join members m
      where ${within(db, 'a.namespace_id', groupIds)} and m.namespace_id = a.ancestor_id
        and ${within(db, 'm.user_id', userIds)} and ${gives('m', today)}
      group by a.namespace_id, m.user_id`.execute(db as never)
  return rows.map(({ group_id, user_id, depth }) => {
    return { groupId: group_id, userId: user_id, isDirect: Number(depth) === 0 }
  })
}
