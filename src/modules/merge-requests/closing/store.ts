import { type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** Stores the issues that a merge closes, in place of those before. */
export async function replaceClosings(tx: Tx, mergeRequestId: number, issueIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('merge_request_closings').where('merge_request_id', '=', mergeRequestId).execute()
  const rows = [...new Set(issueIds)].map((issue_id) => ({ merge_request_id: mergeRequestId, issue_id }))
  if (rows.length > 0) await tx.insertInto('merge_request_closings').values(rows).execute()
}

/** The ids of the issues that a merge closes. */
export async function closingsOf(db: Reader, mergeRequestId: number): Promise<number[]> {
  const query = db.selectFrom('merge_request_closings').select('issue_id')
  const rows = await query.where('merge_request_id', '=', mergeRequestId).orderBy('issue_id').execute()
  return rows.map(({ issue_id }) => issue_id)
}

/** The merge requests that close these issues, with the issues. */
export async function closersOf(db: Reader, issueIds: readonly number[]) {
  if (issueIds.length === 0) return []
  return db
    .selectFrom('merge_request_closings')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_closings.merge_request_id')
    .selectAll('merge_requests')
    .select('merge_request_closings.issue_id')
    .where(within(db, 'merge_request_closings.issue_id', issueIds))
    .execute()
}

/** The merge requests of a project with a commit, or that were merged by it; newest first. */
export async function pageOfIntroducers(
  db: Reader,
  { projectId, oid, state }: { projectId: number; oid: string; state?: MergeRequestRow['state'] | undefined },
  page: PageRequest,
) {
  const having = db
    .selectFrom('merge_request_commits')
    .select('merge_request_id')
    .where('project_id', '=', projectId)
    .where('sha', '=', oid)
  const query = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where((eb) => eb.or([eb('id', 'in', having), eb('merge_commit_sha', '=', oid), eb('squash_commit_sha', '=', oid)]))
  const inState = state ? query.where('state', '=', state) : query
  return pageOfRows(db, inState.orderBy('id', 'desc'), page)
}

/** The merged requests of a project that brought these commits, the oldest first. */
export async function introducersOf(db: Reader, projectId: number, oids: readonly string[]) {
  if (oids.length === 0) return []
  const rows = await db
    .selectFrom('merge_request_commits')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_commits.merge_request_id')
    .select(['merge_requests.id', 'merge_requests.iid', 'merge_request_commits.sha as oid'])
    .where('merge_request_commits.project_id', '=', projectId)
    .where(within(db, 'merge_request_commits.sha', oids))
    .where('merge_requests.state', '=', 'merged')
    .orderBy('merge_requests.id')
    .execute()
  const merges = await db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'merge_commit_sha', 'squash_commit_sha'])
    .where('project_id', '=', projectId)
    .where((eb) => eb.or([within(db, 'merge_commit_sha', oids), within(db, 'squash_commit_sha', oids)]))
    .orderBy('id')
    .execute()
  const byMerge = merges.flatMap(({ id, iid, merge_commit_sha, squash_commit_sha }) =>
    [merge_commit_sha, squash_commit_sha].flatMap((oid) => (oid === null ? [] : [{ id, iid, oid }])),
  )
  return [...rows, ...byMerge]
}

/** Whether branches are the source or target of open merge requests; those that are. */
export async function branchesInUse(db: Reader, projectId: number, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set()
  const rows = await db
    .selectFrom('merge_requests')
    .select(['source_branch', 'target_branch'])
    .where('project_id', '=', projectId)
    .where('state', 'in', ['opened', 'locked'])
    .where((eb) => eb.or([within(db, 'source_branch', names), within(db, 'target_branch', names)]))
    .execute()
  return new Set(rows.flatMap(({ source_branch, target_branch }) => [source_branch, target_branch]))
}

export async function hasRequests(db: Reader, authorId: number): Promise<boolean> {
  const query = db.selectFrom('merge_requests').select('id').where('author_id', '=', authorId).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Makes one user the author of another's merge requests. */
export async function giveRequestsTo(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('merge_requests').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** Some of the merge requests that a user wrote. */
export async function requestsWrittenBy(db: Reader, userId: number): Promise<MergeRequestRow[]> {
  return db.selectFrom('merge_requests').selectAll().where('author_id', '=', userId).orderBy('id').limit(100).execute()
}

/** Replaces milestones by another one, or by none. @param projectId only in this project */
export async function replaceMilestones(
  tx: Tx,
  ids: readonly number[],
  intoId: number | null,
  projectId?: number,
): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ milestone_id: intoId })
    .where(within(tx, 'milestone_id', ids))
    .$if(projectId !== undefined, (all) => all.where('project_id', '=', projectId as number))
    .execute()
}

/** The milestones of the merge requests of a project. */
export async function milestonesOfRequests(db: Reader, projectId: number): Promise<number[]> {
  const query = db.selectFrom('merge_requests').select('milestone_id').distinct()
  const rows = await query.where('project_id', '=', projectId).where('milestone_id', 'is not', null).execute()
  return rows.map(({ milestone_id }) => milestone_id as number)
}
