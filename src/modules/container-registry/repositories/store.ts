import { locked, prepareQuery, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import type { RegistryRepositoryRow } from '../tables.ts'

/** Projects by their current full paths, in lower case. Former paths lead nowhere (contract 02 R1). */
export async function projectsByPaths(db: Reader, paths: readonly string[]): Promise<Map<string, ProjectRow>> {
  const rows = await db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .selectAll('projects')
    .select('routes.path_key')
    .where(within(db, 'routes.path_key', paths))
    .where('routes.redirect', '=', false)
    .execute()
  return new Map(rows.map(({ path_key, ...project }) => [path_key, project]))
}

const byName = prepareQuery((db, { projectId, name }: { projectId: number; name: string }) =>
  db.selectFrom('registry_repositories').selectAll().where('project_id', '=', projectId).where('name', '=', name),
)

/** The record of a repository; null until its first content is committed. */
export async function repositoryOf(db: Reader, projectId: number, name: string): Promise<RegistryRepositoryRow | null> {
  const [row] = await byName(db, { projectId, name })
  return row ?? null
}

/** Like `repositoryOf`. The row cannot be changed or deleted by others until the transaction ends. */
export async function shareRepository(tx: Tx, projectId: number, name: string): Promise<RegistryRepositoryRow | null> {
  const query = tx
    .selectFrom('registry_repositories')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
  return (await locked(tx, query, 'share').executeTakeFirst()) ?? null
}

type NewRepository = { projectId: number; name: string; path: string; now: string }

/** Inserts the record of a repository unless another transaction has inserted it. */
export async function insertRepository(tx: Tx, { projectId, name, path, now }: NewRepository): Promise<void> {
  await tx
    .insertInto('registry_repositories')
    .values({ project_id: projectId, name, path, created_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .execute()
}
