import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import type { Name } from '../core/store.ts'
import type { PackageRow } from '../tables.ts'

/** The generations of a name in projects that have it, by project. */
export async function generationsOf(
  db: Reader,
  projectIds: readonly number[],
  { type, nameKey }: Name,
): Promise<[projectId: number, generation: number][]> {
  const query = db
    .selectFrom('package_names')
    .select(['project_id', 'generation'])
    .where(within(db, 'package_names.project_id', projectIds))
    .where('package_type', '=', type)
    .where('name_key', '=', nameKey)
  const found = await query.orderBy('project_id').execute()
  return found.map(({ project_id: id, generation }) => [id, Number(generation)])
}

/** The projects at or below a namespace that have a name. */
export async function projectsOfName(db: Reader, namespaceId: number, { type, nameKey }: Name): Promise<number[]> {
  const query = db
    .selectFrom('package_names as n')
    .innerJoin('projects', 'projects.id', 'n.project_id')
    .innerJoin('namespace_ancestors as above', 'above.namespace_id', 'projects.namespace_id')
    .select('n.project_id')
    .where('above.ancestor_id', '=', namespaceId)
    .where('n.package_type', '=', type)
    .where('n.name_key', '=', nameKey)
    .where(
      sql<boolean>`exists (select 1 from packages p where p.project_id = n.project_id and p.package_type = n.package_type
        and p.name_key = n.name_key and p.status <> 'pending_destruction')`,
    )
  return (await query.execute()).map(({ project_id: id }) => id)
}

/**
 * The package of a name that was published last in some projects, of those that clients can install. It takes the same time however
 * many versions the name has.
 */
export async function lastOfName(
  db: Reader,
  projectIds: readonly number[],
  { type, nameKey }: Name,
): Promise<Pick<PackageRow, 'id' | 'project_id' | 'name'> | null> {
  if (projectIds.length === 0) return null
  const query = db
    .selectFrom('packages')
    .select(['packages.id', 'packages.project_id', 'packages.name'])
    .where(
      sql<boolean>`packages.id = (select max(lasts.id) from (
        select (select p.id from packages p where p.package_type = ${type} and p.name_key = ${nameKey}
          and p.project_id = projects.id and p.status <> 'pending_destruction' order by p.id desc limit 1) as id
        from projects where ${within(db, 'projects.id', projectIds)}) lasts)`,
    )
  return (await query.executeTakeFirst()) ?? null
}
