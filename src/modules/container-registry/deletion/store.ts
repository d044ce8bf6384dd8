import { type ExpressionBuilder, sql, type Updateable } from 'kysely'
import { type Reader, rows, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import { type DeletionStatus, type RegistryRepositoryRow, registryRepositories } from '../tables.ts'
import { type DeletionEvent, transitions } from './transitions.ts'

export const { remove: deleteRecord } = rows(registryRepositories)

type Repositories = Tables['registry_repositories']

function hasStatus(statuses: readonly (DeletionStatus | null)[]) {
  return (eb: ExpressionBuilder<Tables, 'registry_repositories'>) =>
    eb.or(statuses.map((status) => (status === null ? eb('status', 'is', null) : eb('status', '=', status))))
}

/** An update of the repositories that an event applies to, to be narrowed by the caller (contract 02 R8). */
function move(tx: Tx, event: DeletionEvent, changes: Updateable<Repositories> = {}) {
  const { from, to } = transitions[event]
  return tx
    .updateTable('registry_repositories')
    .set({ ...changes, status: to })
    .where(hasStatus(from))
}

const unclaimed = { claimed_at: null, claimed_by: null }
const anew = { ...unclaimed, failures: 0, retry_at: null }

/** Requests the deletion of a repository. @returns false when it was requested already, or there is no such repository */
export async function requestDeletionOf(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await move(tx, 'request', anew).where('id', '=', id).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Requests the deletion of all repositories of a project. @returns whether there are any to be deleted now */
export async function requestDeletionIn(tx: Tx, projectId: number): Promise<boolean> {
  const { numUpdatedRows } = await move(tx, 'request', anew).where('project_id', '=', projectId).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** As a condition: whether the deletion of repositories is requested or has begun. */
export const anyIsToBeDeleted = () =>
  sql<boolean>`exists (select 1 from registry_repositories where status in ('delete_scheduled', 'delete_ongoing'))`

/** Makes the deletions of workers without a sign of life since `before` claimable again. */
export async function releaseSilent(tx: Tx, before: string): Promise<void> {
  await move(tx, 'release', { ...unclaimed, retry_at: null })
    .where('claimed_at', '<', before)
    .execute()
}

/** The processes, other than this one, whose workers delete repositories. */
export async function claimingProcesses(db: Reader, own: string): Promise<string[]> {
  const rows = await db
    .selectFrom('registry_repositories')
    .select('claimed_by')
    .distinct()
    .where('status', '=', 'delete_ongoing')
    .where('claimed_by', '!=', own)
    .execute()
  return rows.flatMap(({ claimed_by: process }) => process ?? [])
}

/** Makes the deletions of an ended process claimable again. */
export async function releaseClaimsOf(tx: Tx, process: string): Promise<void> {
  await move(tx, 'release', { ...unclaimed, retry_at: null })
    .where('claimed_by', '=', process)
    .execute()
}

/** The oldest repositories whose deletion may begin. */
export async function dueDeletions(db: Reader, now: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('registry_repositories')
    .select('id')
    .where('status', '=', 'delete_scheduled')
    .where((eb) => eb.or([eb('retry_at', 'is', null), eb('retry_at', '<=', now)]))
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The claim of a worker on a repository, with its last sign of life and its process. */
export type Claim = { id: number; claimedAt: string; process: string }

/** Claims a due deletion for one worker. @returns null when another one has it */
export async function claimDeletion(tx: Tx, claim: Claim): Promise<RegistryRepositoryRow | null> {
  const { id, claimedAt, process } = claim
  const claimed = await move(tx, 'claim', { claimed_at: claimedAt, claimed_by: process, retry_at: null })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('retry_at', 'is', null), eb('retry_at', '<=', claimedAt)]))
    .returningAll()
    .executeTakeFirst()
  return claimed ?? null
}

/** Gives a sign of life. @returns false when another worker has claimed the repository */
export async function renewClaim(tx: Tx, { id, claimedAt, process }: Claim, now: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('registry_repositories')
    .set({ claimed_at: now })
    .where('id', '=', id)
    .where('status', '=', 'delete_ongoing')
    .where('claimed_at', '=', claimedAt)
    .where('claimed_by', '=', process)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends a claim without the deletion. */
export async function endClaim(
  tx: Tx,
  { id, claimedAt, process }: Claim,
  event: 'retry' | 'give_up' | 'release',
  changes: Pick<Updateable<Repositories>, 'failures' | 'retry_at'>,
): Promise<void> {
  await move(tx, event, { ...changes, ...unclaimed })
    .where('id', '=', id)
    .where('claimed_at', '=', claimedAt)
    .where('claimed_by', '=', process)
    .execute()
}

/** Deletes at most `limit` tags of a repository. @returns whether there may be more */
export async function deleteSomeTags(tx: Tx, repositoryId: number, limit: number): Promise<boolean> {
  const some = tx.selectFrom('registry_tags').select('name').where('repository_id', '=', repositoryId).limit(limit)
  const query = tx.deleteFrom('registry_tags').where('repository_id', '=', repositoryId).where('name', 'in', some)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

/** Deletes at most `limit` manifests of a repository that no tag names. @returns whether there may be more */
export async function deleteSomeManifests(tx: Tx, repositoryId: number, limit: number): Promise<boolean> {
  const query = tx.selectFrom('registry_manifests').select('id').where('repository_id', '=', repositoryId)
  const ids = (await query.orderBy('id').limit(limit).execute()).map(({ id }) => id)
  if (ids.length === 0) return false
  const isOfThese = (column: 'manifest_id' | 'child_id') => within(tx, column, ids)
  await tx
    .deleteFrom('registry_manifest_children')
    .where((eb) => eb.or([isOfThese('manifest_id'), isOfThese('child_id')]))
    .execute()
  await tx
    .deleteFrom('registry_manifests')
    .where(within(tx, 'id', ids))
    .execute()
  return true
}

/** Deletes at most `limit` links of a repository that no manifest needs. @returns whether there may be more */
export async function deleteSomeLinks(tx: Tx, repositoryId: number, limit: number, now: string): Promise<boolean> {
  const query = tx.selectFrom('registry_blob_links').select('blob_id').where('repository_id', '=', repositoryId)
  const ids = (await query.orderBy('blob_id').limit(limit).execute()).map(({ blob_id: id }) => id)
  if (ids.length === 0) return false
  await tx
    .deleteFrom('registry_blob_links')
    .where('repository_id', '=', repositoryId)
    .where(within(tx, 'blob_id', ids))
    .execute()
  // The grace period of a blob begins when it loses a link (contract 02 R10).
  await sql`update registry_blobs set used_at = ${now}, is_referenced = ${false} where ${within(tx, 'id', ids)}`.execute(
    tx,
  )
  return true
}
