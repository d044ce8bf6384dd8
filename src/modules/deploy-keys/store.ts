import { type Insertable, sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfIds, pageOfRows } from '../../api/index.ts'
import { type Condition, isFound, locked, type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import { deleteKeys, type KeyRow, keysByIds } from '../keys/index.ts'
import { hasProject, isThere, rowsByProject } from '../projects/index.ts'
import { type DeployKeyProjectRow, type DeployKeyProjectsTable, deployKeyProjects } from './tables.ts'

export const { remove: deleteJoin } = rows(deployKeyProjects)

/** A deploy key with its right to push to a project. */
export type ProjectKeyRow = KeyRow & Pick<DeployKeyProjectRow, 'can_push'>

// Literals, so that the partial index on deploy keys is used.
const isDeployKey = sql<boolean>`keys.kind = 'deploy'`
const isPublic = sql<boolean>`keys.public = true`

/** Met by every project. */
export const everyProject: Condition = sql<boolean>`(1 = 1)`

/** Met by no project. */
export const noProject: Condition = sql<boolean>`(1 = 0)`

/** Met by the projects that do not meet the condition. */
export const allBut = (condition: Condition): Condition => sql<boolean>`not ${condition}`

/** Met by the projects that meet both conditions. */
export const inBoth = (one: Condition, other: Condition): Condition => sql<boolean>`(${one} and ${other})`

/** The keys of a project. */
function projectKeys(db: Reader, projectId: number) {
  return db
    .selectFrom('deploy_key_projects')
    .innerJoin('keys', 'keys.id', 'deploy_key_projects.key_id')
    .where('deploy_key_projects.project_id', '=', projectId)
    .selectAll('keys')
    .select('deploy_key_projects.can_push')
}

/** Projects with deploy keys, hidden ones excluded. */
function openedProjects(db: Reader) {
  return db
    .selectFrom('deploy_key_projects')
    .innerJoin('projects', 'projects.id', 'deploy_key_projects.project_id')
    .where('projects.pending_delete', '=', false)
}

/** The join of a deploy key and a project; null when there is none. */
export async function deployKeyJoin(db: Reader, keyId: number, projectId: number): Promise<DeployKeyProjectRow | null> {
  const query = db
    .selectFrom('deploy_key_projects')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('key_id', '=', keyId)
  return (await query.executeTakeFirst()) ?? null
}

/** All joins of a key, by id. */
export async function joinsOfKey(db: Reader, keyId: number): Promise<DeployKeyProjectRow[]> {
  return db.selectFrom('deploy_key_projects').selectAll().where('key_id', '=', keyId).orderBy('id').execute()
}

/** A deploy key of a project; null when the project does not have it. */
export async function projectKey(db: Reader, projectId: number, keyId: number): Promise<ProjectKeyRow | null> {
  const query = projectKeys(db, projectId).where('deploy_key_projects.key_id', '=', keyId)
  return (await query.executeTakeFirst()) ?? null
}

/** A page of a project's deploy keys, in the order in which they were joined. */
export async function listProjectKeys(db: Reader, projectId: number, page: PageRequest): Promise<Page<ProjectKeyRow>> {
  const joins = db
    .selectFrom('deploy_key_projects')
    .select('deploy_key_projects.id')
    .where('project_id', '=', projectId)
  return pageOfIds(db, joins.orderBy('deploy_key_projects.id'), page, async (ids) => {
    const own = projectKeys(db, projectId).select('deploy_key_projects.id as join_id')
    const rows = await own.where(within(db, 'deploy_key_projects.id', ids)).execute()
    return new Map(rows.map(({ join_id: id, ...key }) => [id, key]))
  })
}

/** A page of all deploy keys, by id. */
export async function listDeployKeys(db: Reader, { publicOnly }: { publicOnly: boolean }, page: PageRequest) {
  const all = db.selectFrom('keys').selectAll().where(isDeployKey).orderBy('keys.id')
  return pageOfRows(db, publicOnly ? all.where(isPublic) : all, page)
}

/** The ids of the keys that open projects of which the condition holds, each once, with the condition tested for all of these projects. */
function idsOfKeys(db: Reader, condition: Condition, isMany: boolean) {
  if (!isMany) return openedProjects(db).where(condition).select('deploy_key_projects.key_id as id').distinct()
  const opens = (column: string) => hasProject(db, column, [isThere, condition])
  const tested =
    db.engine === 'sqlite'
      ? rowsByProject(db, 'deploy_key_projects').where(opens('of.project_id'))
      : db.selectFrom('deploy_key_projects').where(opens('deploy_key_projects.project_id'))
  return tested.select('deploy_key_projects.key_id as id').distinct()
}

/**
 * A page of the deploy keys that open any project of which the condition holds, by id, each once.
 * @param each the same condition, for projects that are tested one after another
 * @param isMany whether the projects with keys are tested, instead of the keys of the projects found
 */
export async function listKeysOfProjects(
  db: Reader,
  { condition, each, isMany }: { condition: Condition; each: Condition; isMany: boolean },
  page: PageRequest,
): Promise<Page<KeyRow>> {
  const found = idsOfKeys(db, condition, isMany).orderBy('deploy_key_projects.key_id')
  const opened = sql`deploy_key_projects a cross join projects
    where a.key_id = keys.id and projects.id = a.project_id and ${isThere} and ${each}`
  const inOrder = db.selectFrom('keys').select('keys.id').where(isDeployKey).where(isFound(db, opened))
  const read = isMany ? inOrder.orderBy('keys.id') : found
  return pageOfIds(db, read as never, page, (ids) => keysByIds(db, ids), found as never)
}

/** Whether there is a project of which the condition holds. */
export async function anyProject(db: Reader, condition: Condition): Promise<boolean> {
  const query = db.selectFrom('projects').select('projects.id').where('pending_delete', '=', false).where(condition)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Whether the key opens any project of which the condition holds. */
export async function opensAny(db: Reader, keyId: number, condition: Condition): Promise<boolean> {
  const query = openedProjects(db).where('deploy_key_projects.key_id', '=', keyId).where(condition)
  return (await query.select('projects.id').limit(1).executeTakeFirst()) !== undefined
}

/** A project of a key (contract 01, ProjectSummary). */
export type KeyProjectRow = Awaited<ReturnType<typeof projectsOfKeys>>[number]

/** The projects that each of these keys opens, by id: one query for all. */
export async function projectsOfKeys(db: Reader, keyIds: readonly number[]) {
  if (keyIds.length === 0) return []
  return openedProjects(db)
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where(within(db, 'deploy_key_projects.key_id', keyIds))
    .select(['deploy_key_projects.key_id', 'deploy_key_projects.can_push'])
    .select(['projects.id', 'projects.description', 'projects.name', 'projects.path', 'projects.full_path'])
    .select(['projects.created_at', 'namespaces.full_name as namespace_full_name'])
    .orderBy('projects.id')
    .execute()
}

/** Locks a key until the transaction ends, so that no other request joins or removes it. */
export async function lockKey(tx: Tx, id: number): Promise<KeyRow | null> {
  const query = tx.selectFrom('keys').selectAll().where('id', '=', id)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** As `lockKey`, by the SHA-256 fingerprint. */
export async function lockKeyByFingerprint(tx: Tx, fingerprint: string): Promise<KeyRow | null> {
  const query = tx.selectFrom('keys').selectAll().where('fingerprint_sha256', '=', fingerprint)
  return (await locked(tx, query).executeTakeFirst()) ?? null
}

/** Locks a project against removal until the transaction ends; false when it is hidden already. */
export async function lockProject(tx: Tx, id: number): Promise<boolean> {
  const query = tx.selectFrom('projects').select('pending_delete').where('id', '=', id)
  const row = await locked(tx, query, 'share').executeTakeFirst()
  return row?.pending_delete === false
}

/** @throws UniqueViolation of `deploy_key_projects_unique` */
export async function insertJoin(tx: Tx, join: Insertable<DeployKeyProjectsTable>): Promise<void> {
  await tx.insertInto('deploy_key_projects').values(join).execute()
}

export async function updateJoin(
  tx: Tx,
  { keyId, projectId }: { keyId: number; projectId: number },
  changes: Updateable<DeployKeyProjectsTable>,
): Promise<void> {
  await tx
    .updateTable('deploy_key_projects')
    .set(changes)
    .where('project_id', '=', projectId)
    .where('key_id', '=', keyId)
    .execute()
}

/** Deletes those of these keys that have no project and are not public. The caller holds their locks. */
export async function deleteOrphans(tx: Tx, keyIds: readonly number[]): Promise<void> {
  const orphans = await tx
    .selectFrom('keys')
    .select('id')
    .where(within(tx, 'keys.id', keyIds))
    .where(isDeployKey)
    .where(sql<boolean>`not ${isPublic}`)
    .where(sql<boolean>`not exists (select 1 from deploy_key_projects j where j.key_id = keys.id)`)
    .execute()
  await deleteKeys(
    tx,
    orphans.map(({ id }) => id),
  )
}

/** Takes all deploy keys from a project, and deletes those that open nothing else (contract 01, "other domains"). */
export async function removeKeysOfProject(
  _platform: unknown,
  tx: Tx,
  { projectId }: { projectId: number },
): Promise<void> {
  const joined = tx.selectFrom('deploy_key_projects').select('key_id').where('project_id', '=', projectId)
  const query = tx.selectFrom('keys').select('id').where('id', 'in', joined).orderBy('id')
  const rows = await locked(tx, query).execute()
  await tx.deleteFrom('deploy_key_projects').where('project_id', '=', projectId).execute()
  await deleteOrphans(
    tx,
    rows.map(({ id }) => id),
  )
}
