import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** Those of these projects that are open to all jobs, as far as they decide. */
export async function openToJobs(db: Reader, projectIds: readonly number[]): Promise<Set<number>> {
  const query = db.selectFrom('job_token_open_projects').select('project_id')
  const rows = await query.where(within(db, 'project_id', projectIds)).execute()
  return new Set(rows.map(({ project_id: id }) => id))
}

/** Opens a project to all jobs, or closes it to those that are not listed. */
export async function setOpenToJobs(tx: Tx, projectId: number, isOpen: boolean): Promise<void> {
  if (!isOpen) {
    await tx.deleteFrom('job_token_open_projects').where('project_id', '=', projectId).execute()
    return
  }
  const row = { project_id: projectId }
  await tx
    .insertInto('job_token_open_projects')
    .values(row)
    .onConflict((one) => one.doNothing())
    .execute()
}

/** Those of these projects in which a project, or a group above it, is listed. */
export async function listing(db: Reader, projectIds: readonly number[], sourceId: number): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`select project_id as id from job_token_projects
      where ${within(db, 'project_id', projectIds)} and source_project_id = ${sourceId}
    union
    select listed.project_id from projects source
      join namespace_ancestors above on above.namespace_id = source.namespace_id
      join job_token_groups listed on listed.source_group_id = above.ancestor_id
      where source.id = ${sourceId} and ${within(db, 'listed.project_id', projectIds)}`.execute(db as never)
  return new Set(rows.map(({ id }) => Number(id)))
}

/** The projects that are listed in a project, by id. */
export async function listedProjects(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('job_token_projects')
    .select('source_project_id')
    .where('project_id', '=', projectId)
    .orderBy('source_project_id')
    .execute()
  return rows.map(({ source_project_id: id }) => id)
}

/** The groups that are listed in a project, by id. */
export function listedGroups(db: Reader, projectId: number) {
  return db
    .selectFrom('job_token_groups')
    .innerJoin('namespaces', 'namespaces.id', 'source_group_id')
    .select(['namespaces.id', 'namespaces.kind', 'namespaces.name', 'namespaces.full_path'])
    .where('project_id', '=', projectId)
    .orderBy('namespaces.id')
    .execute()
}

/** An entry of a list: where it is, and what it names. */
type Entry = { projectId: number; sourceId: number }

/** @throws UniqueViolation when it is listed already; ReferenceViolation when it was deleted meanwhile */
export async function listProject(tx: Tx, { projectId, sourceId }: Entry, at: string): Promise<void> {
  const row = { project_id: projectId, source_project_id: sourceId, created_at: at }
  await tx.insertInto('job_token_projects').values(row).execute()
}

/** @throws UniqueViolation when it is listed already; ReferenceViolation when it was deleted meanwhile */
export async function listGroup(tx: Tx, { projectId, sourceId }: Entry, at: string): Promise<void> {
  const row = { project_id: projectId, source_group_id: sourceId, created_at: at }
  await tx.insertInto('job_token_groups').values(row).execute()
}

/** @returns when it was listed; null when it was not */
export async function unlistProject(tx: Tx, { projectId, sourceId }: Entry): Promise<string | null> {
  const query = tx.deleteFrom('job_token_projects').where('project_id', '=', projectId)
  const row = await query.where('source_project_id', '=', sourceId).returning('created_at').executeTakeFirst()
  return row?.created_at ?? null
}

/** @returns when it was listed; null when it was not */
export async function unlistGroup(tx: Tx, { projectId, sourceId }: Entry): Promise<string | null> {
  const query = tx.deleteFrom('job_token_groups').where('project_id', '=', projectId)
  const row = await query.where('source_group_id', '=', sourceId).returning('created_at').executeTakeFirst()
  return row?.created_at ?? null
}
