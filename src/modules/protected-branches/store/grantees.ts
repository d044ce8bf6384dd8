import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import { effectiveMemberships, role } from '../../access/index.ts'
import { type RuleOwner, topLevelOf } from './rules.ts'

/** Which of these groups have access, and how: as an ancestor, by an invitation, or in the same hierarchy. */
export async function groupsWithAccess(
  db: Reader,
  owner: RuleOwner,
  groupIds: readonly number[],
  today: string,
): Promise<{ id: number; isAbove: boolean; isInvited: boolean; isBelow: boolean }[]> {
  if (groupIds.length === 0) return []
  const project = owner.kind === 'project' ? owner.id : null
  const above = sql`(select ancestor_id from namespace_ancestors where namespace_id = ${owner.namespaceId})`
  const yes = (condition: ReturnType<typeof sql>) => sql<number>`case when ${condition} then 1 else 0 end`
  const { rows } = await sql<{ id: number; above: number; below: number; invited: number }>`
    select g.id,
      ${yes(sql`g.id in ${above}`)} as above,
      ${yes(sql`exists (select 1 from namespace_ancestors b where b.namespace_id = g.id
        and b.ancestor_id = ${topLevelOf(owner.namespaceId)})`)} as below,
      ${yes(sql`exists (select 1 from group_links l where l.group_id = g.id
        and (l.project_id = ${project} or l.namespace_id in ${above})
        and (l.expires_at is null or l.expires_at > ${today}))`)} as invited
    from namespaces g where g.kind = 'group' and g.pending_delete = false
      and ${within(db, 'g.id', groupIds)}`.execute(db as never)
  return rows.map((row) => ({
    id: row.id,
    isAbove: Number(row.above) === 1,
    isBelow: Number(row.below) === 1,
    isInvited: Number(row.invited) === 1,
  }))
}

/** Which of these users are members: direct, inherited, or through an invited group. */
export async function membersAmong(
  db: Reader,
  owner: RuleOwner,
  userIds: readonly number[],
  today: string,
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const query = sql<{ user_id: number }>`
    select user_id from (${effectiveMemberships(db, owner, { today, userIds })}) members`
  return new Set((await query.execute(db as never)).rows.map((row) => row.user_id))
}

/** Which of these deploy keys are enabled in the project with push access. */
export async function pushingKeys(db: Reader, projectId: number, keyIds: readonly number[]): Promise<Set<number>> {
  if (keyIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('deploy_key_projects')
    .select('key_id')
    .where('project_id', '=', projectId)
    .where('can_push', '=', true)
    .where(within(db, 'deploy_key_projects.key_id', keyIds))
    .execute()
  return new Set(rows.map((row) => row.key_id))
}

/** The expiry and the creator of a deploy key, when it is enabled in the project with push access. */
export async function pushingKey(
  db: Reader,
  projectId: number,
  keyId: number,
): Promise<{ expires_at: string | null; owner_id: number | null } | null> {
  const query = db
    .selectFrom('deploy_key_projects')
    .innerJoin('keys', 'keys.id', 'deploy_key_projects.key_id')
    .select(['keys.expires_at', 'keys.owner_id'])
    .where('deploy_key_projects.project_id', '=', projectId)
    .where('deploy_key_projects.key_id', '=', keyId)
    .where('deploy_key_projects.can_push', '=', true)
  return (await query.executeTakeFirst()) ?? null
}

/** The ids of groups by full path. @param paths in lower case */
export async function groupsByPath(db: Reader, paths: readonly string[]): Promise<Map<string, number>> {
  if (paths.length === 0) return new Map()
  const rows = await db
    .selectFrom('routes')
    .innerJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['routes.path_key', 'namespaces.id'])
    .where('namespaces.kind', '=', 'group')
    .where('routes.redirect', '=', false)
    .where(within(db, 'routes.path_key', paths))
    .execute()
  return new Map(rows.map((row) => [row.path_key, row.id]))
}

/** The minimal role for an entry that names a user or a group to count (contract 01). */
export const leastRole = role.developer
