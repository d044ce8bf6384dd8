import type { Insertable } from 'kysely'
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

const installable = (db: Reader, projectIds: readonly number[]) =>
  db
    .selectFrom('packages as p')
    .leftJoin('package_pypi_metadata as m', 'm.package_id', 'p.id')
    .where(within(db, 'p.project_id', projectIds))
    .where('p.package_type', '=', 'pypi')
    .where('p.status', 'in', [...installableStatuses])

/** A file that clients can install. */
export type Distribution = {
  name: string
  project_id: number
  file_name: string
  sha256: string
  requires_python: string | null
}

/** The files of all versions of a name, in the order in which these were published. */
export async function distributionsOf(
  db: Reader,
  projectIds: readonly number[],
  nameKey: string,
): Promise<Distribution[]> {
  return installable(db, projectIds)
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .innerJoin('package_blobs as b', 'b.id', 'f.blob_id')
    .select(['p.name', 'p.project_id', 'f.file_name', 'b.sha256', 'm.requires_python'])
    .where('p.name_key', '=', nameKey)
    .orderBy('p.id')
    .orderBy('f.id')
    .execute()
}

/** A name, with what its newest version requires. */
export type IndexedName = { name: string; name_key: string; requires_python: string | null }

/** The names of some projects, each once. */
export async function namesOf(db: Reader, projectIds: readonly number[]): Promise<IndexedName[]> {
  return installable(db, projectIds)
    .select(['p.name', 'p.name_key', 'm.requires_python'])
    .where('p.id', 'in', (query) =>
      query
        .selectFrom('packages as newest')
        .select((eb) => eb.fn.max('newest.id').as('id'))
        .where(within(db, 'newest.project_id', projectIds))
        .where('newest.package_type', '=', 'pypi')
        .where('newest.status', 'in', [...installableStatuses])
        .groupBy('newest.name_key'),
    )
    .orderBy('p.name_key')
    .execute()
}

/** The projects at or below a namespace that have packages of Python. */
export async function projectsWithPypi(db: Reader, namespaceId: number): Promise<number[]> {
  const query = db
    .selectFrom('packages')
    .innerJoin('projects', 'projects.id', 'packages.project_id')
    .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'projects.namespace_id')
    .select('packages.project_id')
    .distinct()
    .where('above.ancestor_id', '=', namespaceId)
    .where('package_type', '=', 'pypi')
  return (await query.execute()).map(({ project_id: id }) => id)
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
