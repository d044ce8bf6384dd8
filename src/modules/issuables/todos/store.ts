import { type Reader, within } from '../../../infra/database/index.ts'

/** A project with the names of the namespaces above it. */
export type NamedProject = {
  id: number
  description: string | null
  name: string
  path: string
  full_path: string
  created_at: string
  namespace_name: string
}

/** These projects with their names, by id. */
export async function namedProjects(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, NamedProject>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.description', 'projects.name', 'projects.path', 'projects.full_path'])
    .select(['projects.created_at', 'namespaces.full_name as namespace_name'])
    .where(within(db, 'projects.id', [...new Set(ids)]))
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
