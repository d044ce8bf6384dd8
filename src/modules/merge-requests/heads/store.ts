import type { Insertable } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { MergeRequestRow, MergeRequestVersionsTable, VersionRow } from '../tables.ts'

const rowsOfStatement = 500

/** The open merge requests whose source or target is one of these branches, by id. */
export async function openRequestsOfBranches(
  db: Reader,
  projectId: number,
  branches: readonly string[],
): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', 'in', ['opened', 'locked'])
    .where((eb) => eb.or([within(db, 'source_branch', branches), within(db, 'target_branch', branches)]))
    .orderBy('id')
    .execute()
}

/** Stores the head of a branch with all open merge requests that have it as their target. @param sha null: deleted */
export async function setTargetHead(tx: Tx, projectId: number, branch: string, sha: string | null): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ target_sha: sha })
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', 'in', ['opened', 'locked'])
    .execute()
}

/** Stores a version and its commits, which replace those of the previous version. @param commits newest first */
export async function insertVersion(
  tx: Tx,
  projectId: number,
  version: Insertable<MergeRequestVersionsTable>,
  commits: readonly string[],
): Promise<void> {
  const { merge_request_id } = version
  await tx.insertInto('merge_request_versions').values(version).execute()
  await tx.deleteFrom('merge_request_commits').where('merge_request_id', '=', merge_request_id).execute()
  const rows = commits.map((sha, position) => ({ merge_request_id, project_id: projectId, sha, position }))
  for (let start = 0; start < rows.length; start += rowsOfStatement) {
    await tx
      .insertInto('merge_request_commits')
      .values(rows.slice(start, start + rowsOfStatement))
      .execute()
  }
}

/** The newest version of a merge request. */
export async function latestVersion(db: Reader, mergeRequestId: number): Promise<VersionRow | null> {
  const query = db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', mergeRequestId)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** Those of these merge requests whose newest version has commits. */
export async function withCommits(db: Reader, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('merge_request_commits')
    .select('merge_request_id')
    .where(within(db, 'merge_request_id', ids))
    .where('position', '=', 0)
    .execute()
  return new Set(rows.map(({ merge_request_id }) => merge_request_id))
}

/** The stored commits of the newest version, newest first. */
export async function commitsOfLatest(db: Reader, mergeRequestId: number): Promise<string[]> {
  const query = db.selectFrom('merge_request_commits').select('sha').where('merge_request_id', '=', mergeRequestId)
  return (await query.orderBy('position').execute()).map(({ sha }) => sha)
}
