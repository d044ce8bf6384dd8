import { sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds, pageOfRows } from '../../../api/index.ts'
import { joinNext, type Reader, rows, within } from '../../../infra/database/index.ts'
import type { Ports } from '../../../platform/index.ts'
import { featureLevel, hasFewProjects, isOfProjectBelow, isThere, rowsByProject } from '../../projects/index.ts'
import { type RegistryRepositoryRow, registryRepositories } from '../tables.ts'

export const { byId: repositoryById } = rows(registryRepositories)

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
export async function pageOfGroupRepositories(
  db: Reader,
  groupId: number,
  page: PageRequest,
): Promise<Page<PlacedRepository>> {
  const isServed = sql<boolean>`${featureLevel('container_registry_access_level')} <> 'disabled'`
  const isFew = await hasFewProjects(db, groupId, 'registry_repositories')
  const isBelow = (column: `${string}.project_id`) => isOfProjectBelow(db, column, groupId, [isThere, isServed], isFew)
  const all = db.selectFrom('registry_repositories').where(isBelow('registry_repositories.project_id'))
  const found = isFew ? all : rowsByProject(db, 'registry_repositories').where(isBelow('of.project_id'))
  const idsOf = (query: typeof all) => query.select('registry_repositories.id').orderBy('registry_repositories.id')
  return pageOfIds(db, idsOf(all), page, (ids) => placedByIds(db, ids), idsOf(found))
}

async function placedByIds(db: Reader, ids: readonly number[]): Promise<Map<number, PlacedRepository>> {
  const rows = await placed(db)
    .where(within(db, 'r.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** A repository whose project exists. */
export async function placedRepository(db: Reader, id: number): Promise<PlacedRepository | null> {
  return (await placed(db).where('r.id', '=', id).executeTakeFirst()) ?? null
}

/**
 * Bytes of the images of each of these projects, in one query: each layer once that a tag of the project reaches, directly or
 * through indexes (contract 02 R9). Projects without tags are absent.
 */
export const registrySizes: Ports['projects.registry_sizes'] = async ({ database: { read: db } }, projectIds) => {
  if (projectIds.length === 0) return new Map()
  const { rows } = await sql<{ project_id: number; size_bytes: number }>`
    with recursive reached (id) as (
      select t.manifest_id from registry_repositories r join registry_tags t on t.repository_id = r.id
        where ${within(db, 'r.project_id', projectIds)}
      union select c.child_id from registry_manifest_children c join reached on reached.id = c.manifest_id
    ), layers as (
      select distinct r.project_id, m.blob_id
        from reached ${joinNext(db)} registry_manifest_blobs m on m.manifest_id = reached.id and m.is_layer = ${true}
        ${joinNext(db)} registry_repositories r on r.id = m.repository_id
    ) select layers.project_id, sum(b.size_bytes) as size_bytes
      from layers ${joinNext(db)} registry_blobs b on b.id = layers.blob_id group by layers.project_id`.execute(
    db as never,
  )
  return new Map(rows.map(({ project_id: id, size_bytes: bytes }) => [id, Number(bytes)]))
}
