import { sql } from 'kysely'
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
    .innerJoin('package_files as f', (join) =>
      join.on(
        sql<boolean>`f.id = (select n.id from package_files n where n.package_id = p.id and n.file_name = ${fileName}
          order by n.id desc limit 1)`,
      ),
    )
    .selectAll('p')
    .where(within(db, 'p.project_id', projectIds))
    .where('p.package_type', '=', 'maven')
    .where('p.name_key', '=', name)
    .where('p.version', '=', version)
    .where('p.status', 'in', [...installableStatuses])
  return (await query.orderBy('f.id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** Names of files of a package that begin and end with texts, each once, behind one. */
export async function fileNamesOf(
  db: Reader,
  packageId: number,
  { start, end }: { start: string; end: string },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ file_name: string }[]> {
  let query = db
    .selectFrom('package_files')
    .select('file_name')
    .distinct()
    .where('package_id', '=', packageId)
    .where('file_name', '>=', start)
    .where(sql<boolean>`substr(file_name, 1, ${start.length}) = ${start}`)
    .where(sql<boolean>`substr(file_name, length(file_name) - ${end.length - 1}) = ${end}`)
  if (after !== undefined) query = query.where('file_name', '>', after)
  return query.orderBy('file_name').limit(limit).execute()
}
