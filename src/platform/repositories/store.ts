import { type RawBuilder, sql } from 'kysely'
import { prepareQuery, type Reader, type Tx, within } from '../../infra/database/index.ts'
import { newDiskPath } from '../../infra/git/index.ts'
import type { RecordedChange, RefIntentRow, RepositoryKind, RepositoryRow } from './tables.ts'

export type NewRepository = {
  /** Whose repository it is. */
  owner: { projectId: number } | { namespaceId: number }
  kind: RepositoryKind
  storage: string
  objectFormat: 'sha1' | 'sha256'
  now: string
}

/** Inserts the row of a repository that is not on disk yet (generation 0). Its path is random, so no path is used twice. */
export async function insertRepository(tx: Tx, repository: NewRepository): Promise<RepositoryRow> {
  const { owner, kind } = repository
  const ids = 'projectId' in owner ? { project_id: owner.projectId } : { namespace_id: owner.namespaceId }
  return tx
    .insertInto('repositories')
    .values({
      ...ids,
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

const ofProject = prepareQuery((db, { projectId, kind }: { projectId: number; kind: RepositoryKind }) =>
  db.selectFrom('repositories').selectAll().where('project_id', '=', projectId).where('kind', '=', kind),
)

export async function repositoryById(db: Reader, id: number): Promise<RepositoryRow | null> {
  return (await db.selectFrom('repositories').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function repositoryOfProject(
  db: Reader,
  projectId: number,
  kind: RepositoryKind = 'project',
): Promise<RepositoryRow | null> {
  const [row] = await ofProject(db, { projectId, kind })
  return row ?? null
}

/** The repositories of these projects; a project without one has none here. */
export async function repositoriesOfProjects(
  db: Reader,
  projectIds: readonly number[],
  kind: RepositoryKind = 'project',
): Promise<RepositoryRow[]> {
  const query = db
    .selectFrom('repositories')
    .selectAll()
    .where(within(db, 'repositories.project_id', projectIds))
  return query.where('kind', '=', kind).execute()
}

/** The repository of a group: that of its wiki (contract 22 R8). */
export async function repositoryOfNamespace(
  db: Reader,
  namespaceId: number,
  kind: RepositoryKind,
): Promise<RepositoryRow | null> {
  const query = db.selectFrom('repositories').selectAll().where('namespace_id', '=', namespaceId)
  return (await query.where('kind', '=', kind).executeTakeFirst()) ?? null
}

/** Every repository in the order of ids, in portions: for work that walks through all of them. */
export async function repositoriesAfter(db: Reader, id: number, limit: number): Promise<RepositoryRow[]> {
  return db.selectFrom('repositories').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

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

/** Writes down that a repository is on disk, unless somebody else has. */
export async function markMade(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('repositories').set({ generation: 1 }).where('id', '=', id).where('generation', '=', 0).execute()
}

/** Raises the generation and returns the new one; null when the repository has gone. */
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
 * Whether a repository takes changes, held so until the transaction ends: whoever makes it read-only waits until every change that
 * was let in has been written down. Null when it has gone.
 */
export async function holdWritable(tx: Tx, id: number): Promise<boolean | null> {
  const query = tx.selectFrom('repositories').select('read_only').where('id', '=', id)
  const row = await (tx.engine === 'postgres' ? query.forShare() : query).executeTakeFirst()
  return row ? !row.read_only : null
}

export async function insertIntent(
  tx: Tx,
  intent: { repositoryId: number; userId: number | null; updates: readonly RecordedChange[]; now: string },
): Promise<number> {
  const { id } = await tx
    .insertInto('ref_intents')
    .values({
      repository_id: intent.repositoryId,
      user_id: intent.userId,
      updates: JSON.stringify(intent.updates),
      created_at: intent.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Removes an intent; false when it was settled already. */
export async function deleteIntent(tx: Tx, id: number): Promise<boolean> {
  const result = await tx.deleteFrom('ref_intents').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** Whether an intent is not settled yet. */
export async function intentExists(db: Reader, id: number): Promise<boolean> {
  return (await db.selectFrom('ref_intents').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function openIntents(db: Reader, before: string): Promise<RefIntentRow[]> {
  return db.selectFrom('ref_intents').selectAll().where('created_at', '<', before).orderBy('id').execute()
}

/** Remembers where the files of these projects' repositories lie, so that a job can remove them once the rows are gone. */
export async function rememberRemoved(tx: Tx, projectIds: readonly number[], now: string): Promise<void> {
  await rememberPlaces(tx, within(tx, 'repositories.project_id', projectIds), now)
}

/** As `rememberRemoved`, for what belongs to groups. @param namespaceIds a sub-query that gives the ids of the groups */
export async function rememberRemovedOfGroups(tx: Tx, namespaceIds: RawBuilder<number>, now: string): Promise<void> {
  await rememberPlaces(tx, sql<boolean>`repositories.namespace_id in ${namespaceIds}`, now)
}

async function rememberPlaces(tx: Tx, which: RawBuilder<boolean>, now: string): Promise<void> {
  const rows = await tx.selectFrom('repositories').select(['storage', 'disk_path']).where(which).execute()
  if (rows.length === 0) return
  await tx
    .insertInto('removed_repositories')
    .values(rows.map((row) => ({ ...row, removed_at: now })))
    .execute()
}

/** @param afterId for the next portion: the last id of the one before */
export async function removedRepositories(db: Reader, limit: number, afterId = 0) {
  const query = db.selectFrom('removed_repositories').selectAll().where('id', '>', afterId)
  return query.orderBy('id').limit(limit).execute()
}

export async function forgetRemoved(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('removed_repositories').where('id', '=', id).execute()
}

/** Lets nothing be written to a repository, or lets it again. */
export async function setReadOnly(tx: Tx, id: number, readOnly: boolean): Promise<void> {
  await tx.updateTable('repositories').set({ read_only: readOnly }).where('id', '=', id).execute()
}

/** How much a repository holds. */
export type RepositorySizes = { sizeBytes: number; commitCount: number }

/** Writes down how much a repository holds. @param sizes as of which generation, where that is known */
export async function saveSizes(tx: Tx, id: number, sizes: RepositorySizes & { generation?: number }): Promise<void> {
  const { sizeBytes, commitCount, generation } = sizes
  const measured = generation === undefined ? {} : { measured_generation: generation }
  await tx
    .updateTable('repositories')
    .set({ size_bytes: sizeBytes, commit_count: commitCount, ...measured })
    .where('id', '=', id)
    .execute()
}

/** Writes down that a repository was packed when it had this generation. */
export async function savePacked(tx: Tx, id: number, generation: number): Promise<void> {
  await tx.updateTable('repositories').set({ packed_generation: generation }).where('id', '=', id).execute()
}

/** Repositories whose refs have moved since they were last packed, in the order of ids, in portions. */
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
 * Opens a repository that was made as a copy of another one: it is on disk, has refs and may be written to.
 * @returns false when its row has gone meanwhile
 */
export async function finishCopy(tx: Tx, id: number, sizes: RepositorySizes): Promise<boolean> {
  await markMade(tx, id)
  await setReadOnly(tx, id, false)
  await saveSizes(tx, id, sizes)
  return (await raiseGeneration(tx, id)) !== null
}
