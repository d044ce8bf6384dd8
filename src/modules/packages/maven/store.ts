import { type Reader, within } from '../../../infra/database/index.ts'
import { installableStatuses } from '../core/words.ts'
import type { PackageRow } from '../tables.ts'
import type { MavenPath } from './names.ts'

/** The package of a path that was published last in some projects. */
export async function lastPackage(
  db: Reader,
  projectIds: readonly number[],
  { name, version }: MavenPath,
): Promise<PackageRow | null> {
  const query = db
    .selectFrom('packages')
    .selectAll()
    .where(within(db, 'packages.project_id', projectIds))
    .where('package_type', '=', 'maven')
    .where('name_key', '=', name)
    .where('version', '=', version)
    .where('status', 'in', [...installableStatuses])
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The package of a path whose file is the newest in some projects. */
export async function packageOfNewestFile(
  db: Reader,
  projectIds: readonly number[],
  { name, version, fileName }: MavenPath,
): Promise<PackageRow | null> {
  const query = db
    .selectFrom('packages as p')
    .innerJoin('package_files as f', 'f.package_id', 'p.id')
    .selectAll('p')
    .where(within(db, 'p.project_id', projectIds))
    .where('p.package_type', '=', 'maven')
    .where('p.name_key', '=', name)
    .where('p.version', '=', version)
    .where('p.status', 'in', [...installableStatuses])
    .where('f.file_name', '=', fileName)
  return (await query.orderBy('f.id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** The names of the files of a package, each once. */
export async function fileNamesOf(db: Reader, packageId: number): Promise<string[]> {
  const query = db.selectFrom('package_files').select('file_name').distinct().where('package_id', '=', packageId)
  return (await query.execute()).map(({ file_name: name }) => name)
}
