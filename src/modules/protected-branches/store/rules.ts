import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { contains, type Reader, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import { effectiveMemberships, role } from '../../access/index.ts'
import type { ProtectedBranchesTable, ProtectedBranchRow } from '../tables.ts'

/** What rules belong to: a project, whose top-level group's rules hold as well; or such a group. */
export type RulePlace =
  | { kind: 'project'; id: number; namespaceId: number }
  | { kind: 'group'; id: number; namespaceId: number }

type Eb = ExpressionBuilder<Tables, 'protected_branches'>

/** The namespace at the top of a line of ancestors, as a sub-query. */
const topOf = (namespaceId: number) =>
  sql<number>`(select ancestor_id from namespace_ancestors where namespace_id = ${namespaceId}
    order by depth desc limit 1)`

const holdsIn = (place: RulePlace) => (eb: Eb) =>
  place.kind === 'group'
    ? eb('namespace_id', '=', place.id)
    : eb.or([eb('project_id', '=', place.id), eb('namespace_id', '=', topOf(place.namespaceId))])

/** The rules that may match one of these branches: named so, or with a wildcard. All of them without names. */
export async function rulesFor(
  db: Reader,
  place: RulePlace,
  branches?: readonly string[],
): Promise<ProtectedBranchRow[]> {
  const query = db.selectFrom('protected_branches').selectAll().where(holdsIn(place)).orderBy('name').orderBy('id')
  if (!branches) return query.execute()
  return query
    .where((eb) => eb.or([within(db, 'name', [...new Set(branches)]), sql<boolean>`name like '%*%'`]))
    .execute()
}

/** A page of rules, by name and then by id. @param search part of the name, whatever its case */
export async function pageOfRules(
  db: Reader,
  place: RulePlace,
  search: string | undefined,
  page: PageRequest,
): Promise<Page<ProtectedBranchRow>> {
  let query = db.selectFrom('protected_branches').selectAll().where(holdsIn(place))
  if (search) query = query.where(contains('name', search))
  return pageOfRows(db, query.orderBy('name').orderBy('id'), page)
}

/** The rule of exactly this name; the project's own before the inherited one. */
export async function ruleNamed(db: Reader, place: RulePlace, name: string): Promise<ProtectedBranchRow | null> {
  const query = db.selectFrom('protected_branches').selectAll().where(holdsIn(place)).where('name', '=', name)
  const rows = await query.orderBy('id').execute()
  return rows.find((row) => row.project_id !== null) ?? rows[0] ?? null
}

/** As `ruleNamed`, kept from other transactions until this one ends. */
export async function holdRule(tx: Tx, place: RulePlace, name: string): Promise<ProtectedBranchRow | null> {
  const row = await ruleNamed(tx, place, name)
  if (!row) return null
  const query = tx.selectFrom('protected_branches').selectAll().where('id', '=', row.id)
  return (await (tx.engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()) ?? null
}

/** How many rules the place has of its own. */
export async function countRules(db: Reader, place: RulePlace): Promise<number> {
  const { count } = await db
    .selectFrom('protected_branches')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(place.kind === 'project' ? 'project_id' : 'namespace_id', '=', place.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** @throws UniqueViolation of `protected_branches_project_unique` or `protected_branches_namespace_unique` */
export async function insertRule(tx: Tx, rule: Insertable<ProtectedBranchesTable>): Promise<ProtectedBranchRow> {
  return tx.insertInto('protected_branches').values(rule).returningAll().executeTakeFirstOrThrow()
}

/** As `insertRule`; null when the project has a rule of that name already. */
export async function insertRuleUnlessThere(tx: Tx, rule: Insertable<ProtectedBranchesTable>): Promise<number | null> {
  const query = tx.insertInto('protected_branches').values(rule)
  const row = await query
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

export async function updateRule(
  tx: Tx,
  id: number,
  changes: Updateable<ProtectedBranchesTable>,
): Promise<ProtectedBranchRow> {
  return tx.updateTable('protected_branches').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteRule(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('protected_branches').where('id', '=', id).execute()
}

/** Which of these groups have access: they are above the place, below the top-level group, or invited to one above. */
export async function groupsWithAccess(
  db: Reader,
  place: RulePlace,
  groupIds: readonly number[],
  today: string,
): Promise<{ id: number; isAbove: boolean; isInvited: boolean; isBelow: boolean }[]> {
  if (groupIds.length === 0) return []
  const project = place.kind === 'project' ? place.id : null
  const above = sql`(select ancestor_id from namespace_ancestors where namespace_id = ${place.namespaceId})`
  const yes = (condition: ReturnType<typeof sql>) => sql<number>`case when ${condition} then 1 else 0 end`
  const { rows } = await sql<{ id: number; above: number; below: number; invited: number }>`
    select g.id,
      ${yes(sql`g.id in ${above}`)} as above,
      ${yes(sql`exists (select 1 from namespace_ancestors b where b.namespace_id = g.id
        and b.ancestor_id = ${topOf(place.namespaceId)})`)} as below,
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

/** Which of these users are members of a place: direct, inherited, or by the invitation of a group. */
export async function membersAmong(
  db: Reader,
  place: RulePlace,
  userIds: readonly number[],
  today: string,
): Promise<Set<number>> {
  if (userIds.length === 0) return new Set()
  const query = sql<{ user_id: number }>`
    select user_id from (${effectiveMemberships(db, place, { today, userIds })}) members`
  return new Set((await query.execute(db as never)).rows.map((row) => row.user_id))
}

/** Which of these deploy keys may push to the project: joined to it with the right to. */
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

/** A deploy key that is joined to a project with the right to push, with who made it. */
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

/** The groups at these full paths, given in lower case. */
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

/** The least role with which an entry for a user or a group counts (contract 01). */
export const leastRole = role.developer
