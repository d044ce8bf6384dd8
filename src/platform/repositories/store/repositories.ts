import { type RawBuilder, sql } from 'kysely'
import {
  countRows,
  isShared,
  locked,
  prepareQuery,
  type Reader,
  type Tx,
  within,
} from '../../../infra/database/index.ts'
import { newDiskPath } from '../../../infra/git/index.ts'
import type { RepositoryKind, RepositoryRow } from '../tables.ts'

/** A project, a group or a snippet. */
export type RepositoryOwner = { projectId: number } | { namespaceId: number } | { snippetId: number }

type NewRepository = {
  /** The project, group or snippet that owns the repository. */
  owner: RepositoryOwner
  kind: RepositoryKind
  storage: string
  objectFormat: 'sha1' | 'sha256'
  now: string
}

function ownerColumn(owner: RepositoryOwner) {
  if ('projectId' in owner) return { project_id: owner.projectId }
  return 'namespaceId' in owner ? { namespace_id: owner.namespaceId } : { snippet_id: owner.snippetId }
}

/** Inserts the row of a repository that is not on disk yet (generation 0). Its path is random, so no path is used twice. */
export async function insertRepository(tx: Tx, repository: NewRepository): Promise<RepositoryRow> {
  const { owner, kind } = repository
  return tx
    .insertInto('repositories')
    .values({
      ...ownerColumn(owner),
      kind,
      storage: repository.storage,
      disk_path: newDiskPath(),
      generation: 0,
      object_format: repository.objectFormat,
      created_at: repository.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Whether refs move, or may have moved, that the generation does not count yet. */
const isChanging = sql<boolean>`exists (
  select 1 from ref_intents where ref_intents.repository_id = repositories.id and not ref_intents.settled)`.as(
  'is_changing',
)

const ofProject = prepareQuery((db, { projectId, kind }: { projectId: number; kind: RepositoryKind }) =>
  db
    .selectFrom('repositories')
    .selectAll()
    .select(isChanging)
    .where('project_id', '=', projectId)
    .where('kind', '=', kind),
)

export async function repositoryById(db: Reader, id: number): Promise<RepositoryRow | null> {
  const query = db.selectFrom('repositories').selectAll().select(isChanging)
  return (await query.where('id', '=', id).executeTakeFirst()) ?? null
}

export async function repositoryOfProject(
  db: Reader,
  projectId: number,
  kind: RepositoryKind = 'project',
): Promise<RepositoryRow | null> {
  const [row] = await ofProject(db, { projectId, kind })
  return row ?? null
}

/** Finds the repositories of several projects. Projects without a repository are left out. */
export async function repositoriesOfProjects(db: Reader, projectIds: readonly number[]): Promise<RepositoryRow[]> {
  const ofThem = db.selectFrom('repositories').where(within(db, 'repositories.project_id', projectIds))
  return ofThem.selectAll().where('kind', '=', 'project').execute()
}

/** Finds a repository of a group; groups have only a wiki (contract 22 R8). */
export async function repositoryOfNamespace(
  db: Reader,
  namespaceId: number,
  kind: RepositoryKind,
): Promise<RepositoryRow | null> {
  const query = db.selectFrom('repositories').selectAll().select(isChanging).where('namespace_id', '=', namespaceId)
  return (await query.where('kind', '=', kind).executeTakeFirst()) ?? null
}

/** Finds the repository of a snippet (contract 09). */
export async function repositoryOfSnippet(db: Reader, snippetId: number): Promise<RepositoryRow | null> {
  const query = db.selectFrom('repositories').selectAll().select(isChanging).where('snippet_id', '=', snippetId)
  return (await query.executeTakeFirst()) ?? null
}

/** All repositories of an owner: the code and the wiki of a project, the wiki of a group, the files of a snippet. */
export async function repositoriesOfOwner(db: Reader, owner: RepositoryOwner): Promise<RepositoryRow[]> {
  const [[column, id] = ['project_id', 0]] = Object.entries(ownerColumn(owner))
  const query = db.selectFrom('repositories').selectAll()
  return query.where(sql.ref<number>(column), '=', id).orderBy('id').execute()
}

/** As `repositoriesOfOwner`, with the rows locked. Who adds a repository to an owner that has one locks that as well. */
export async function holdRepositories(tx: Tx, owner: RepositoryOwner): Promise<RepositoryRow[]> {
  if (isShared(tx)) {
    const [[column, id] = ['project_id', 0]] = Object.entries(ownerColumn(owner))
    const query = tx.selectFrom('repositories').select('id').where(sql.ref<number>(column), '=', id)
    await locked(tx, query.orderBy('id')).execute()
  }
  return repositoriesOfOwner(tx, owner)
}

/** The column with the owners of one kind. */
export type OwnerColumn = 'project_id' | 'namespace_id' | 'snippet_id'

/**
 * Lists the owners that are in a storage, by id: projects by their code, groups by their wikis.
 * @param afterId the last id of the previous portion
 */
export async function ownersIn(
  db: Reader,
  { column, kind }: { column: OwnerColumn; kind: RepositoryKind },
  { storage, afterId, limit }: { storage: string; afterId: number; limit: number },
): Promise<number[]> {
  const query = db.selectFrom('repositories').select(column).where('kind', '=', kind).where('storage', '=', storage)
  const rows = await query.where(column, '>', afterId).orderBy(column).limit(limit).execute()
  return rows.flatMap((row) => (row as Record<string, number | null>)[column] ?? [])
}

/** Lists repositories by id, for work on all of them in portions. @param id the last id of the previous portion */
export async function repositoriesAfter(db: Reader, id: number, limit: number): Promise<RepositoryRow[]> {
  return db.selectFrom('repositories').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** How many repositories there are. */
export const countRepositories = (db: Reader): Promise<number> => countRows(db.selectFrom('repositories'))

/** Which of these paths belong to a repository, or to a removed one whose files are still to be deleted. */
export async function knownPaths(db: Reader, storage: string, paths: readonly string[]): Promise<Set<string>> {
  const query = (table: 'repositories' | 'removed_repositories') =>
    db
      .selectFrom(table)
      .select('disk_path')
      .where('storage', '=', storage)
      .where('disk_path', 'in', paths.length === 0 ? [''] : paths)
      .execute()
  const rows = [...(await query('repositories')), ...(await query('removed_repositories'))]
  return new Set(rows.map((row) => row.disk_path))
}

/**
 * Sets the generation of a new repository to 1: it is on disk.
 * @returns false when that was done before, or when the repository is in another storage now
 */
export async function markMade(tx: Tx, { id, storage }: Pick<RepositoryRow, 'id' | 'storage'>): Promise<boolean> {
  const made = tx.updateTable('repositories').set({ generation: 1 }).where('id', '=', id).where('generation', '=', 0)
  return (await made.where('storage', '=', storage).executeTakeFirst()).numUpdatedRows > 0n
}

/** Increments the generation. @returns the new generation; null when the repository was removed */
export async function raiseGeneration(tx: Tx, id: number): Promise<number | null> {
  const row = await tx
    .updateTable('repositories')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where('id', '=', id)
    .returning('generation')
    .executeTakeFirst()
  return row?.generation ?? null
}

/**
 * Whether a repository accepts changes. The row stays locked until the transaction ends, so a transaction that makes the
 * repository read-only waits until accepted changes have their intents. A repository that was moved to another storage since its
 * row was read accepts none. Null when the repository was removed.
 */
export async function holdWritable(
  tx: Tx,
  { id, storage }: Pick<RepositoryRow, 'id' | 'storage'>,
): Promise<boolean | null> {
  const query = tx.selectFrom('repositories').select(['read_only', 'storage']).where('id', '=', id)
  const row = await locked(tx, query, 'share').executeTakeFirst()
  return row ? !row.read_only && row.storage === storage : null
}

/** Notes the paths of these projects' repositories, so that a job can delete the files after the rows were deleted. */
export async function rememberRemoved(tx: Tx, projectIds: readonly number[], now: string): Promise<void> {
  await rememberPaths(tx, within(tx, 'repositories.project_id', projectIds), now)
}

/** As `rememberRemoved`, for the repositories of groups. @param namespaceIds a sub-query that returns the ids of the groups */
export async function rememberRemovedOfGroups(tx: Tx, namespaceIds: RawBuilder<number>, now: string): Promise<void> {
  await rememberPaths(tx, sql<boolean>`repositories.namespace_id in ${namespaceIds}`, now)
}

/** As `rememberRemoved`, for the repositories of snippets. @param snippetIds a sub-query that returns the ids of the snippets */
export async function rememberRemovedOfSnippets(tx: Tx, snippetIds: RawBuilder<number>, now: string): Promise<void> {
  await rememberPaths(tx, sql<boolean>`repositories.snippet_id in ${snippetIds}`, now)
}

async function rememberPaths(tx: Tx, which: RawBuilder<boolean>, now: string): Promise<void> {
  await tx
    .insertInto('removed_repositories')
    .columns(['storage', 'disk_path', 'removed_at'])
    .expression(
      tx
        .selectFrom('repositories')
        .select(['storage', 'disk_path', sql<string>`${now}`.as('removed_at')])
        .where(which),
    )
    .execute()
}

/** Lists removed repositories whose files still exist. @param afterId the last id of the previous portion */
export async function removedRepositories(db: Reader, limit: number, afterId = 0) {
  const query = db.selectFrom('removed_repositories').selectAll().where('id', '>', afterId)
  return query.orderBy('id').limit(limit).execute()
}

export async function forgetRemoved(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('removed_repositories').where('id', '=', id).execute()
}

/** Makes a repository read-only, or writable again. */
export async function setReadOnly(tx: Tx, id: number, readOnly: boolean): Promise<void> {
  await tx.updateTable('repositories').set({ read_only: readOnly }).where('id', '=', id).execute()
}

/** Makes repositories read-only. @returns false when one of them was read-only before; then the transaction has to be undone */
export async function claimReadOnly(tx: Tx, ids: readonly number[]): Promise<boolean> {
  const claimed = tx
    .updateTable('repositories')
    .set({ read_only: true })
    .where(within(tx, 'repositories.id', ids))
  return (await claimed.where('read_only', '=', false).executeTakeFirst()).numUpdatedRows === BigInt(ids.length)
}

/** Records that read-only repositories are in another storage, and lets them be written. @returns their generations by id */
export async function setStorage(tx: Tx, ids: readonly number[], storage: string): Promise<Map<number, number>> {
  const query = tx.updateTable('repositories').set({ storage, read_only: false })
  const moved = await query
    .where(within(tx, 'repositories.id', ids))
    .where('read_only', '=', true)
    .returning(['id', 'generation'])
    .execute()
  return new Map(moved.map(({ id, generation }) => [id, generation]))
}

/** Records that repositories are in other places, with refs that may be others. */
export async function setPlaces(
  tx: Tx,
  places: readonly Pick<RepositoryRow, 'id' | 'storage' | 'disk_path' | 'object_format'>[],
): Promise<void> {
  for (const { id, ...place } of places) {
    const query = tx.updateTable('repositories').set({ ...place, generation: sql<number>`generation + 1` })
    await query.where('id', '=', id).execute()
  }
}

/** Lets repositories be written again. */
export async function releaseReadOnly(tx: Tx, ids: readonly number[]): Promise<void> {
  const query = tx.updateTable('repositories').set({ read_only: false })
  await query.where(within(tx, 'repositories.id', ids)).execute()
}

/** The measured sizes of a repository. */
type RepositorySizes = { sizeBytes: number; commitCount: number }

/** Stores the sizes of a repository. @param sizes with the generation at which they were measured, where that is known */
export async function saveSizes(tx: Tx, id: number, sizes: RepositorySizes & { generation?: number }): Promise<void> {
  const { sizeBytes, commitCount, generation } = sizes
  const measured = generation === undefined ? {} : { measured_generation: generation }
  await tx
    .updateTable('repositories')
    .set({ size_bytes: sizeBytes, commit_count: commitCount, ...measured })
    .where('id', '=', id)
    .execute()
}

/** Stores the generation at which a repository was packed. */
export async function savePacked(tx: Tx, id: number, generation: number): Promise<void> {
  await tx.updateTable('repositories').set({ packed_generation: generation }).where('id', '=', id).execute()
}

/** Lists repositories whose refs have moved since they were last packed, by id, in portions. */
export async function repositoriesToPack(db: Reader, afterId: number, limit: number): Promise<RepositoryRow[]> {
  return db
    .selectFrom('repositories')
    .selectAll()
    .where('id', '>', afterId)
    .whereRef('packed_generation', '<', 'generation')
    .where('read_only', '=', false)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/**
 * Completes a repository that was created as a copy of another one: makes it writable, and stores its sizes.
 * @returns false when its row was deleted meanwhile
 */
export async function finishCopy(tx: Tx, row: RepositoryRow, sizes: RepositorySizes): Promise<boolean> {
  const { id } = row
  await markMade(tx, row)
  await setReadOnly(tx, id, false)
  await saveSizes(tx, id, sizes)
  return (await raiseGeneration(tx, id)) !== null
}
