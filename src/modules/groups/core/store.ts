import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'
import { levelsAbove, type Visibility } from '../../namespaces/index.ts'

/** The number of ancestors of a group, or of levels below it. */
export async function depthOf(db: Reader, id: number, direction: 'above' | 'below' = 'above'): Promise<number> {
  const row = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where(direction === 'above' ? 'namespace_id' : 'ancestor_id', '=', id)
    .executeTakeFirst()
  return row?.depth ?? 0
}

/** Whether a group is another one or lies below it. */
export async function isBelow(db: Reader, id: number, ancestorId: number): Promise<boolean> {
  const query = db.selectFrom('namespace_ancestors').select('depth').where('namespace_id', '=', id)
  return (await query.where('ancestor_id', '=', ancestorId).executeTakeFirst()) !== undefined
}

/** Whether another group with the same parent has the name; groups at the top level may share names. */
export async function isNameTaken(db: Reader, parentId: number | null, name: string, exceptId = 0): Promise<boolean> {
  if (parentId === null) return false
  const query = db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', parentId)
    .where((eb) => eb(eb.fn('lower', ['name']), '=', eb.fn('lower', [eb.val(name)])))
    .where('id', '<>', exceptId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Whether direct subgroups or projects of a group are more visible than this. */
export async function hasMoreVisible(db: Reader, id: number, visibility: Visibility) {
  const above = levelsAbove(visibility)
  if (above.length === 0) return { subgroups: false, projects: false }
  const subgroup = db.selectFrom('namespaces').select('id').where('parent_id', '=', id)
  const project = db.selectFrom('projects').select('id').where('namespace_id', '=', id)
  return {
    subgroups: (await subgroup.where('visibility', 'in', above).limit(1).executeTakeFirst()) !== undefined,
    projects: (await project.where('visibility', 'in', above).limit(1).executeTakeFirst()) !== undefined,
  }
}

/** Bytes of the repositories, wikis, LFS objects and snippets of a group's projects. */
export type Sizes = { repositoryBytes: number; wikiBytes: number; lfsBytes: number; snippetBytes: number }

/**
 * Sums the sizes of a page of groups with one query; groups without projects are absent.
 * @param reach the group's own projects, or all below it
 */
export async function sizesOf(db: Reader, ids: readonly number[], reach: 'own' | 'below'): Promise<Map<number, Sizes>> {
  if (ids.length === 0) return new Map()
  const isOwn = reach === 'own' ? sql`and a.depth = 0` : sql``
  const { rows } = await sql<{ id: number; repository: number; wiki: number; lfs: number; snippets: number }>`
    select a.ancestor_id as id,
      sum(case when r.kind = 'project' then r.size_bytes else 0 end) as repository,
      sum(case when r.kind = 'wiki' then r.size_bytes else 0 end) as wiki,
      sum(case when r.kind = 'project' then coalesce((select sum(o.size_bytes) from lfs_objects_projects l
        join lfs_objects o on o.id = l.object_id where l.project_id = p.id), 0) else 0 end) as lfs,
      sum(case when r.kind = 'project' then coalesce((select sum(s.size_bytes) from snippets n
        join repositories s on s.snippet_id = n.id where n.project_id = p.id), 0) else 0 end) as snippets
    from namespace_ancestors a
    join projects p on p.namespace_id = a.namespace_id join repositories r on r.project_id = p.id
    where ${within(db, 'a.ancestor_id', ids)} ${isOwn} group by a.ancestor_id`.execute(db as never)
  return new Map(
    rows.map(({ id, repository, wiki, lfs, snippets }) => {
      return [id, { repositoryBytes: repository, wikiBytes: wiki, lfsBytes: lfs, snippetBytes: snippets }]
    }),
  )
}

/** The groups with an avatar, each with its file name. */
export async function groupsWithAvatar(db: Reader): Promise<{ id: number; avatar: string | null }[]> {
  return db.selectFrom('namespaces').select(['id', 'avatar']).where('avatar', 'is not', null).execute()
}
