import { type Insertable, sql } from 'kysely'
import { type Reader, type Tables, type Tx, within } from '../../../infra/database/index.ts'
import { installableStatuses } from '../core/words.ts'

type Metadata = Insertable<Tables['package_pypi_metadata']>

/** Stores what an upload says about a version; the last upload counts. */
export async function storeMetadata(tx: Tx, row: Metadata): Promise<void> {
  const { package_id: _id, ...said } = row
  await tx
    .insertInto('package_pypi_metadata')
    .values(row)
    .onConflict((conflict) => conflict.column('package_id').doUpdateSet(said))
    .execute()
}

/** A file that clients can install. */
export type Distribution = {
  package_id: number
  file_id: number
  file_name: string
  sha256: string
  requires_python: string | null
}

/** Files of all versions of a name of a project, in the order in which these were published, behind a file. */
export async function distributionsOf(
  db: Reader,
  { projectId, nameKey }: { projectId: number; nameKey: string },
  { after, limit }: { after: Pick<Distribution, 'package_id' | 'file_id'> | undefined; limit: number },
): Promise<Distribution[]> {
  let query = db
    .selectFrom('packages as p')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .innerJoin('package_blobs as b', 'b.id', 'f.blob_id')
    .leftJoin('package_pypi_metadata as m', 'm.package_id', 'p.id')
    .select(['p.id as package_id', 'f.id as file_id', 'f.file_name', 'b.sha256', 'm.requires_python'])
    .where('p.project_id', '=', projectId)
    .where('p.package_type', '=', 'pypi')
    .where('p.name_key', '=', nameKey)
    .where('p.status', 'in', [...installableStatuses])
  if (after) {
    const { package_id: packageId, file_id: fileId } = after
    query = query
      .where('p.id', '>=', packageId)
      .where((eb) => eb.or([eb('p.id', '>', packageId), eb('f.id', '>', fileId)]))
  }
  return query.orderBy('p.id').orderBy('f.id').limit(limit).execute()
}

/** A name of a project. Names that have lost their last package are among these. */
export type ProjectName = { id: number; project_id: number; name_key: string }

/** Names of some projects by name and project, behind one. */
export async function namesOf(
  db: Reader,
  projectIds: readonly number[],
  { after, limit }: { after: ProjectName | undefined; limit: number },
): Promise<ProjectName[]> {
  const [only] = projectIds
  let query = db.selectFrom('package_names as n').select(['n.id', 'n.project_id', 'n.name_key'])
  query = query.where('n.package_type', '=', 'pypi')
  // One project is walked in the order of its index.
  if (projectIds.length === 1 && only !== undefined) query = query.where('n.project_id', '=', only)
  else query = query.where(within(db, 'n.project_id', projectIds))
  if (after) {
    const { name_key: name, project_id: projectId } = after
    query = query
      .where('n.name_key', '>=', name)
      .where((eb) => eb.or([eb('n.name_key', '>', name), eb('n.project_id', '>', projectId)]))
  }
  return query.orderBy('n.name_key').orderBy('n.project_id').limit(limit).execute()
}

/** The newest version of a name in a project: how the name is written, and what it requires. */
export type NewestVersion = { name_id: number; id: number; name: string; requires_python: string | null }

/** The newest versions of names that have any. @param ids of `namesOf` */
export async function newestVersionsOf(db: Reader, ids: readonly number[]): Promise<NewestVersion[]> {
  return db
    .selectFrom('package_names as n')
    .innerJoin('packages as p', (join) =>
      join.on(
        sql<boolean>`p.id = (select q.id from packages q where q.package_type = 'pypi' and q.name_key = n.name_key
          and q.project_id = n.project_id and q.status <> 'pending_destruction' order by q.id desc limit 1)`,
      ),
    )
    .leftJoin('package_pypi_metadata as m', 'm.package_id', 'p.id')
    .select(['n.id as name_id', 'p.id', 'p.name', 'm.requires_python'])
    .where(within(db, 'n.id', ids))
    .execute()
}

/** Projects at or below a namespace that have packages of Python, by id, behind one. */
export async function projectsWithPypi(
  db: Reader,
  namespaceId: number,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number }[]> {
  return db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'projects.namespace_id')
    .select('projects.id')
    .where('above.ancestor_id', '=', namespaceId)
    .where('projects.id', '>', after)
    .where(
      sql<boolean>`exists (select 1 from packages p where p.project_id = projects.id and p.package_type = 'pypi'
        and p.status <> 'pending_destruction')`,
    )
    .orderBy('projects.id')
    .limit(limit)
    .execute()
}

/** The packages that have a file of these bytes and this name, the newest file first. @param place a project or a namespace */
export async function packagesWithFile(
  db: Reader,
  place: { projectId: number } | { namespaceId: number },
  { sha256, fileName }: { sha256: string; fileName: string },
): Promise<{ package_id: number; file_id: number; project_id: number }[]> {
  let query = db
    .selectFrom('package_blobs as b')
    .innerJoin('package_files as f', 'f.blob_id', 'b.id')
    .innerJoin('packages as p', 'p.id', 'f.package_id')
    .select(['p.id as package_id', 'f.id as file_id', 'p.project_id'])
    .where('b.sha256', '=', sha256)
    .where('f.file_name', '=', fileName)
    .where('p.package_type', '=', 'pypi')
    .where('p.status', 'in', [...installableStatuses])
  if ('projectId' in place) query = query.where('p.project_id', '=', place.projectId)
  else {
    const { namespaceId } = place
    query = query.where('p.project_id', 'in', (below) =>
      below
        .selectFrom('projects')
        .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'projects.namespace_id')
        .select('projects.id')
        .where('above.ancestor_id', '=', namespaceId),
    )
  }
  return query.orderBy('f.id', 'desc').execute()
}
