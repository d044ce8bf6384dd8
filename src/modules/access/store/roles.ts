import { sql } from 'kysely'
import { prepareQuery, type Reader, smaller } from '../../../infra/database/index.ts'
import type { Standing } from '../permissions.ts'
import { role } from '../policy.ts'
import { permissionsOf } from './permissions.ts'

/** The role of a user in a project: the highest level, and the highest of each origin (null: none). */
export type ProjectRole = Standing & { projectLevel: number | null; groupLevel: number | null }

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

/** The role of an invitation, for members whose level in the invited group is that of the invitation at least (contract 25.10). */
export const sharedRole = (link: string, member: string) =>
  sql<number | null>`case when ${sql.ref(`${member}.access_level`)} >= ${sql.ref(`${link}.access_level`)}
    then ${sql.ref(`${link}.member_role_id`)} end`

type RoleRow = { via: 'project' | 'group'; level: number; member_role_id: number | null }

// The cross joins fix the order in SQLite, which has no statistics and would start at all memberships of the user. Invited
// groups are two parts, because an `or` over both kinds of invitations reads the whole table.
const rolesInProject = prepareQuery(
  (db, { id, namespaceId, userId, today }: { id: number; namespaceId: number; userId: number; today: string }) => ({
    compile: () =>
      sql<RoleRow>`
        select 'project' as via, access_level as level, member_role_id from members
          where project_id = ${id} and user_id = ${userId} and ${gives('members', today)}
        union all
        select 'group', m.access_level, m.member_role_id from namespace_ancestors a cross join members m
          where a.namespace_id = ${namespaceId} and m.namespace_id = a.ancestor_id and m.user_id = ${userId} and ${gives('m', today)}
        union all
        select 'project', ${sql.lit(role.owner)}, null from namespaces
          where id = ${namespaceId} and kind = 'user' and owner_id = ${userId}
        union all
        select 'project', ${sharedLevel(db, 'l', 'm')}, ${sharedRole('l', 'm')}
          from group_links l cross join namespace_ancestors g cross join members m
          where l.project_id = ${id} and g.namespace_id = l.group_id
          and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
          and ${gives('l', today)} and ${gives('m', today)}
        union all
        select 'group', ${sharedLevel(db, 'l', 'm')}, ${sharedRole('l', 'm')}
          from namespace_ancestors a cross join group_links l cross join namespace_ancestors g cross join members m
          where a.namespace_id = ${namespaceId} and l.namespace_id = a.ancestor_id and g.namespace_id = l.group_id
          and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
          and ${gives('l', today)} and ${gives('m', today)}`.compile(db as never),
  }),
)

/**
 * The role of a user in a project: the highest of direct membership, membership of the group and of every group above,
 * invited groups (capped at the level of the invitation), and ownership of the personal namespace (contract 00, 21 R1). The permissions
 * are those of all member roles on the way (contract 25.10); there is no query for them where there are none.
 */
export async function roleInProject(
  db: Reader,
  userId: number,
  project: { id: number; namespace_id: number },
  today: string,
): Promise<ProjectRole> {
  const rows = await rolesInProject(db, { id: project.id, namespaceId: project.namespace_id, userId, today })
  const best = (via: RoleRow['via']) => {
    const levels = rows.filter((row) => row.via === via).map((row) => row.level)
    return levels.length > 0 ? Math.max(...levels) : null
  }
  const projectLevel = best('project')
  const groupLevel = best('group')
  const level = Math.max(projectLevel ?? 0, groupLevel ?? 0)
  return { level, projectLevel, groupLevel, permissions: await permissionsOf(db, rows) }
}

const rolesInGroup = prepareQuery(
  (db, { groupId, userId, today }: { groupId: number; userId: number; today: string }) => ({
    compile: () =>
      sql<Omit<RoleRow, 'via'>>`
        select m.access_level as level, m.member_role_id from namespace_ancestors a cross join members m
          where a.namespace_id = ${groupId} and m.namespace_id = a.ancestor_id and m.user_id = ${userId}
          and ${gives('m', today)}
        union all
        select ${sql.lit(role.owner)}, null from namespaces
          where id = ${groupId} and kind = 'user' and owner_id = ${userId}
        union all
        select ${sharedLevel(db, 'l', 'm')}, ${sharedRole('l', 'm')}
          from namespace_ancestors a cross join group_links l cross join namespace_ancestors g cross join members m
          where a.namespace_id = ${groupId} and l.namespace_id = a.ancestor_id and g.namespace_id = l.group_id
          and m.namespace_id = g.ancestor_id and m.user_id = ${userId}
          and ${gives('l', today)} and ${gives('m', today)}`.compile(db as never),
  }),
)

const highestLevel = (rows: readonly { level: number }[]) => Math.max(0, ...rows.map(({ level }) => level))

/** The role of a user in a group: membership of it, of every group above, and through invited groups. */
export async function roleInGroup(db: Reader, userId: number, groupId: number, today: string): Promise<number> {
  return highestLevel(await rolesInGroup(db, { groupId, userId, today }))
}

/** `roleInGroup` with the permissions of the member roles on the way. */
export async function standingInGroup(db: Reader, userId: number, groupId: number, today: string): Promise<Standing> {
  const rows = await rolesInGroup(db, { groupId, userId, today })
  return { level: highestLevel(rows), permissions: await permissionsOf(db, rows) }
}

/** The highest level for each id. */
export function highestById(entries: readonly [id: number, level: number][]): Map<number, number> {
  const best = new Map<number, number>()
  for (const [id, level] of entries) best.set(id, Math.max(level, best.get(id) ?? 0))
  return best
}
