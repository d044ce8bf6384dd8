import { sql } from 'kysely'
import { prepareQuery, type Reader, smaller } from '../../../infra/database/index.ts'
import { role } from '../policy.ts'

/** The role of a user in a project: the highest level, and the highest of each origin (null: none). */
export type ProjectRole = { level: number; projectLevel: number | null; groupLevel: number | null }

/** Memberships and invitations count until the day on which they expire (contract 21 R1). */
export const live = (table: string, today: string) =>
  sql<boolean>`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${today})`

/**
 * Memberships that give a role in a resource and in everything below it. Minimal access gives none: it only adds the user
 * to the group's list of members.
 */
export const gives = (table: string, today: string) =>
  sql<boolean>`(${live(table, today)} and ${sql.ref(`${table}.access_level`)} >= ${sql.lit(role.guest)})`

/** The level of a member of an invited group: capped at the level of the invitation. */
export const sharedLevel = (db: Reader, link: string, member: string) =>
  sql<number>`${smaller(db)}(${sql.ref(`${link}.access_level`)}, ${sql.ref(`${member}.access_level`)})`

// The cross joins fix the order in SQLite, which has no statistics and would start at all memberships of the user. Invited
// groups are two parts, because an `or` over both kinds of invitations reads the whole table.
const rolesInProject = prepareQuery(
  (db, { id, namespaceId, userId, today }: { id: number; namespaceId: number; userId: number; today: string }) => ({
    compile: () =>
      sql<{ via: string; level: number }>`
        select 'project' as via, access_level as level from members
          where project_id = ${id} and user_id = ${userId} and ${gives('members', today)}
        union all
        select 'group', m.access_level from namespace_ancestors a cross join members m
          where a.namespace_id = ${namespaceId} and m.namespace_id = a.ancestor_id and m.user_id = ${userId} and ${gives('m', today)}
        union all
        select 'project', ${sql.lit(role.owner)} from namespaces
          where id = ${namespaceId} and kind = 'user' and owner_id = ${userId}
        union all
        select 'project', ${sharedLevel(db, 'l', 'm')}
          from group_links l cross join namespace_ancestors g cross join members m
          where l.project_id = ${id} and g.namespace_id = l.group_id
          and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
          and ${gives('l', today)} and ${gives('m', today)}
        union all
        select 'group', ${sharedLevel(db, 'l', 'm')}
          from namespace_ancestors a cross join group_links l cross join namespace_ancestors g cross join members m
          where a.namespace_id = ${namespaceId} and l.namespace_id = a.ancestor_id and g.namespace_id = l.group_id
          and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
          and ${gives('l', today)} and ${gives('m', today)}`.compile(db as never),
  }),
)

/**
 * The role of a user in a project: the highest of direct membership, membership of the group and of every group above,
 * invited groups (capped at the level of the invitation), and ownership of the personal namespace (contract 00, 21 R1).
 */
export async function roleInProject(
  db: Reader,
  userId: number,
  project: { id: number; namespace_id: number },
  today: string,
): Promise<ProjectRole> {
  return highest(await rolesInProject(db, { id: project.id, namespaceId: project.namespace_id, userId, today }))
}

function highest(rows: readonly { via: string; level: number }[]): ProjectRole {
  const best = (via: string) => {
    const levels = rows.filter((row) => row.via === via).map((row) => row.level)
    return levels.length > 0 ? Math.max(...levels) : null
  }
  const projectLevel = best('project')
  const groupLevel = best('group')
  return { level: Math.max(projectLevel ?? 0, groupLevel ?? 0), projectLevel, groupLevel }
}

const rolesInGroup = prepareQuery(
  (db, { groupId, userId, today }: { groupId: number; userId: number; today: string }) => ({
    compile: () =>
      sql<{ level: number }>`
        select m.access_level as level from namespace_ancestors a cross join members m
          where a.namespace_id = ${groupId} and m.namespace_id = a.ancestor_id and m.user_id = ${userId}
          and ${gives('m', today)}
        union all
        select ${sql.lit(role.owner)} from namespaces
          where id = ${groupId} and kind = 'user' and owner_id = ${userId}
        union all
        select ${sharedLevel(db, 'l', 'm')}
          from namespace_ancestors a cross join group_links l cross join namespace_ancestors g cross join members m
          where a.namespace_id = ${groupId} and l.namespace_id = a.ancestor_id and g.namespace_id = l.group_id
          and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
          and ${gives('l', today)} and ${gives('m', today)}`.compile(db as never),
  }),
)

/** The role of a user in a group: membership of it, of every group above, and through invited groups. */
export async function roleInGroup(db: Reader, userId: number, groupId: number, today: string): Promise<number> {
  const rows = await rolesInGroup(db, { groupId, userId, today })
  return Math.max(0, ...rows.map(({ level }) => level))
}

/** The highest level for each id. */
export function highestById(entries: readonly [id: number, level: number][]): Map<number, number> {
  const best = new Map<number, number>()
  for (const [id, level] of entries) best.set(id, Math.max(level, best.get(id) ?? 0))
  return best
}
