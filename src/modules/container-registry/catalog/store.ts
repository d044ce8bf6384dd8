import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'

/** Current paths of repositories with content in byte order, after a path. @param limit greatest number of paths */
export async function repositoryPaths(db: Reader, last: string, limit: number): Promise<string[]> {
  // Both columns are sorted by bytes, and so is what is joined of them.
  const path = sql<string>`routes.path_key || case when r.name = '' then '' else '/' || r.name end`
  const rows = await db
    .selectFrom('registry_repositories as r')
    .innerJoin('routes', 'routes.project_id', 'r.project_id')
    .select(path.as('path'))
    .where('routes.redirect', '=', false)
    .where((eb) => eb.or([eb('r.status', 'is', null), eb('r.status', '<>', 'delete_ongoing')]))
    .where(sql<boolean>`${path} > ${last}`)
    .orderBy(path)
    .limit(limit)
    .execute()
  return rows.map((row) => row.path)
}
