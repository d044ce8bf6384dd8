import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'

/** Where a test takes its data from. */
export type Owner = { kind: 'project' | 'group'; id: number }

/** The tables with things of projects that events are about. */
type Table =
  | ('issues' | 'merge_requests' | 'ci_jobs' | 'pipelines' | 'deployments' | 'feature_flags')
  | ('releases' | 'milestones' | 'award_emoji' | 'notes')

/** Whether a column names the project, or one of the projects of the group and below it. */
function isIn(column: string, { kind, id }: Owner): RawBuilder<boolean> {
  if (kind === 'project') return sql<boolean>`${sql.ref(column)} = ${id}`
  return sql<boolean>`${sql.ref(column)} in (select p.id from projects p
    join namespace_ancestors a on a.namespace_id = p.namespace_id
    where a.ancestor_id = ${id} and p.pending_delete = false)`
}

/** The id of the latest of these in a project, or in the projects of a group; null when there is none. */
async function latestWhere(db: Reader, table: Table, owner: Owner, where: RawBuilder<unknown>) {
  const query = sql<{ id: number; project_id: number }>`select id, project_id from ${sql.table(table)}
    where ${isIn('project_id', owner)} and ${where} order by id desc limit 1`
  const { rows } = await query.execute(db as never)
  return rows[0] ?? null
}

/** Jobs that external systems report are left out. */
export async function latestOf(db: Reader, table: Exclude<Table, 'issues' | 'notes'>, owner: Owner) {
  return latestWhere(db, table, owner, table === 'ci_jobs' ? sql`not external` : sql`true`)
}

export async function latestIssue(db: Reader, owner: Owner, confidential: boolean) {
  return latestWhere(db, 'issues', owner, confidential ? sql`confidential` : sql`not confidential`)
}

/** The latest comment of a user: one that only hooks for confidential comments get, or another. */
export async function latestNote(db: Reader, owner: Owner, confidential: boolean) {
  const onSecret = sql`exists (select 1 from issues i
    where i.id = notes.noteable_id and notes.noteable_type = 'Issue' and i.confidential)`
  const isSecret = sql`(internal or ${onSecret})`
  return latestWhere(db, 'notes', owner, sql`system = false and ${confidential ? isSecret : sql`not ${isSecret}`}`)
}

/** The project itself, or the project of a group, or of one below it, that was active last and has been pushed to. */
export async function recentProject(db: Reader, owner: Owner, kind: 'project' | 'wiki' = 'project') {
  if (owner.kind === 'project' && kind === 'project') return owner.id
  const query = sql<{ id: number }>`select projects.id from projects
    join repositories r on r.project_id = projects.id and r.kind = ${kind} and r.generation > 0
    where ${isIn('projects.id', owner)} order by projects.last_activity_at desc, projects.id desc limit 1`
  const { rows } = await query.execute(db as never)
  return rows[0]?.id ?? null
}

/** The latest group below a group, or the group itself. */
export async function latestSubgroup(db: Reader, groupId: number): Promise<number> {
  const query = db.selectFrom('namespaces').select('id').where('parent_id', '=', groupId)
  return (await query.orderBy('id', 'desc').executeTakeFirst())?.id ?? groupId
}

/** The latest membership in a group. */
export async function latestMember(db: Reader, groupId: number): Promise<number | null> {
  const query = db.selectFrom('members').select('id').where('namespace_id', '=', groupId)
  return (await query.orderBy('id', 'desc').executeTakeFirst())?.id ?? null
}
