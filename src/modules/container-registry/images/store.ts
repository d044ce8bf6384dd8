import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import type { RegistryRepositoryRow } from '../tables.ts'

/** A repository with the current path of its project. */
export type PlacedRepository = RegistryRepositoryRow & { project_id: number; project_path: string }

const placed = (db: Reader) =>
  db
    .selectFrom('registry_repositories as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .selectAll('r')
    .select(['p.id as project_id', 'p.full_path as project_path'])

/** A page of the repositories of a project, by id. */
export function pageOfRepositories(db: Reader, projectId: number, page: PageRequest): Promise<Page<PlacedRepository>> {
  return pageOfRows(db, placed(db).where('r.project_id', '=', projectId).orderBy('r.id'), page)
}

/** A page of the repositories of all projects below a group whose registry is not disabled, by id. */
export function pageOfGroupRepositories(
  db: Reader,
  groupId: number,
  page: PageRequest,
): Promise<Page<PlacedRepository>> {
  const isServed = sql<boolean>`coalesce(p.settings ->> 'container_registry_access_level', 'enabled') <> 'disabled'`
  const query = placed(db)
    .where('p.namespace_id', 'in', subtreeOf(groupId))
    .where('p.pending_delete', '=', false)
    .where(isServed)
  return pageOfRows(db, query.orderBy('r.id'), page)
}

/** A repository whose project exists. */
export async function placedRepository(db: Reader, id: number): Promise<PlacedRepository | null> {
  return (await placed(db).where('r.id', '=', id).executeTakeFirst()) ?? null
}

export async function repositoryById(db: Reader, id: number): Promise<RegistryRepositoryRow | null> {
  const query = db.selectFrom('registry_repositories').selectAll().where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}
