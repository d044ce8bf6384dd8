import type { Reader } from '../../../infra/database/index.ts'

type Place = { kind: 'project' | 'group'; id: number }

/** The project itself, or the project of a group, or of one below it, that was active last. */
export async function recentProjectWith(db: Reader, { kind, id }: Place, what: 'commits'): Promise<number | null> {
  if (kind === 'project') return id
  const query = db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    .where('namespace_ancestors.ancestor_id', '=', id)
    .where('projects.pending_delete', '=', false)
    .where('repositories.kind', '=', 'project')
  const filled = what === 'commits' ? query.where('repositories.generation', '>', 0) : query
  const row = await filled
    .orderBy('projects.last_activity_at', 'desc')
    .orderBy('projects.id', 'desc')
    .executeTakeFirst()
  return row?.id ?? null
}
