import { type Reader, within } from '../../../infra/database/index.ts'

type Located = { id: number; kind: string; project_id: number | null }

const located = (db: Reader) => db.selectFrom('repositories as r').select(['r.id', 'r.kind', 'r.project_id'])

export async function repositoryRow(db: Reader, id: number): Promise<Located | null> {
  return (await located(db).where('r.id', '=', id).executeTakeFirst()) ?? null
}

/** The container repositories of the projects in a namespace and below it. */
export async function containerRepositoriesBelow(db: Reader, namespaceId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('registry_repositories as c')
    .innerJoin('projects as p', 'p.id', 'c.project_id')
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'p.namespace_id')
    .select('c.id')
    .where('a.ancestor_id', '=', namespaceId)
    .execute()
  return rows.map(({ id }) => id)
}

/** The repositories of a project, with those of its snippets. */
export async function repositoriesOfProject(db: Reader, projectId: number): Promise<Located[]> {
  const own = await located(db).where('r.project_id', '=', projectId).execute()
  const ofSnippets = await located(db)
    .innerJoin('snippets as s', 's.id', 'r.snippet_id')
    .where('s.project_id', '=', projectId)
    .execute()
  return [...own, ...ofSnippets]
}

/** The repositories of a group and of the groups below it. */
export async function repositoriesOfGroup(db: Reader, groupId: number): Promise<Located[]> {
  return located(db)
    .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'r.namespace_id')
    .where('a.ancestor_id', '=', groupId)
    .execute()
}

export async function repositoriesOfSnippets(db: Reader, snippetIds: readonly number[]): Promise<number[]> {
  const rows = await located(db)
    .where(within(db, 'r.snippet_id', snippetIds))
    .execute()
  return rows.map(({ id }) => id)
}

/** The uploads of a project, or of a group and the groups below it. */
export async function uploadsIn(db: Reader, owner: { projectId: number } | { groupId: number }): Promise<number[]> {
  const query = db.selectFrom('uploads as u').select('u.id')
  const rows =
    'projectId' in owner
      ? await query.where('u.project_id', '=', owner.projectId).execute()
      : await query
          .innerJoin('namespace_ancestors as a', 'a.namespace_id', 'u.namespace_id')
          .where('a.ancestor_id', '=', owner.groupId)
          .execute()
  return rows.map(({ id }) => id)
}
