import { type RawBuilder, sql } from 'kysely'
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

/** Bytes of the repositories, wikis, LFS objects, snippets and uploads of a group's projects, and of its own uploads. */
export type Sizes = {
  repositoryBytes: number
  wikiBytes: number
  lfsBytes: number
  snippetBytes: number
  uploadBytes: number
}

type SizesRow = { id: number; repository: number; wiki: number; lfs: number; snippets: number; uploads: number }

/** A sum over the rows of a project `p`, for its row of code only, since a project also has a row for its wiki. */
const ofProject = (column: RawBuilder<unknown>, rows: RawBuilder<unknown>) =>
  sql`case when r.kind = 'project' then coalesce((select sum(${column}) from ${rows}), 0) else 0 end`

/**
 * Sums the sizes of a page of groups with one query; groups with neither projects nor uploads are absent.
 * @param reach the group itself and its own projects, or all below it
 */
export async function sizesOf(db: Reader, ids: readonly number[], reach: 'own' | 'below'): Promise<Map<number, Sizes>> {
  if (ids.length === 0) return new Map()
  const isReached = sql`${within(db, 'a.ancestor_id', ids)} ${reach === 'own' ? sql`and a.depth = 0` : sql``}`
  const lfs = sql`lfs_objects_projects l join lfs_objects o on o.id = l.object_id where l.project_id = p.id`
  const snippets = sql`snippets n join repositories s on s.snippet_id = n.id where n.project_id = p.id`
  const uploads = sql`uploads u where u.project_id = p.id`
  const { rows } = await sql<SizesRow>`
    select id, sum(repository) as repository, sum(wiki) as wiki, sum(lfs) as lfs, sum(snippets) as snippets,
      sum(uploads) as uploads
    from (
      select a.ancestor_id as id,
        case when r.kind = 'project' then r.size_bytes else 0 end as repository,
        case when r.kind = 'wiki' then r.size_bytes else 0 end as wiki,
        ${ofProject(sql`o.size_bytes`, lfs)} as lfs,
        ${ofProject(sql`s.size_bytes`, snippets)} as snippets,
        ${ofProject(sql`u.size_bytes`, uploads)} as uploads
      from namespace_ancestors a
      join projects p on p.namespace_id = a.namespace_id join repositories r on r.project_id = p.id
      where ${isReached}
      union all
      select a.ancestor_id, 0, 0, 0, 0, u.size_bytes
      from namespace_ancestors a join uploads u on u.namespace_id = a.namespace_id
      where ${isReached}
    ) sizes group by id`.execute(db as never)
  return new Map(
    rows.map(({ id, repository, wiki, lfs, snippets, uploads }) => [
      id,
      { repositoryBytes: repository, wikiBytes: wiki, lfsBytes: lfs, snippetBytes: snippets, uploadBytes: uploads },
    ]),
  )
}

/** The groups with an avatar, each with it. */
export async function groupsWithAvatar(
  db: Reader,
  ids?: readonly number[],
): Promise<{ id: number; avatar: string | null }[]> {
  const query = db.selectFrom('namespaces').select(['id', 'avatar']).where('avatar', 'is not', null)
  return (ids ? query.where(within(db, 'id', ids)) : query).execute()
}
