import { sql } from 'kysely'
import { prepareQuery, type Reader } from '../../../infra/database/index.ts'
import type { Visibility } from '../../namespaces/index.ts'

/** The namespace and the repository of a project. */
export type ProjectContext = {
  project_id: number
  namespace_id: number
  namespace_name: string
  namespace_path: string
  namespace_kind: 'user' | 'group'
  namespace_full_path: string
  namespace_full_name: string
  namespace_parent_id: number | null
  namespace_avatar: string | null
  namespace_owner_id: number | null
  storage: string | null
  object_format: 'sha1' | 'sha256' | null
  generation: number | null
  size_bytes: number | null
  commit_count: number | null
}

/** A group that was invited to a project. */
export type GroupLink = {
  group_id: number
  group_name: string
  group_full_path: string
  group_visibility: Visibility
  group_access_level: number
  expires_at: string | null
}

/** What other tables hold about a project. */
export type Relations = {
  topics: string[]
  links: GroupLink[]
  forksCount: number
  /** Its namespace and all ancestors of that. */
  ancestorIds: number[]
}

type IdList = { ids: unknown }

/** `within` for a prepared query, which gets its values later. */
function within(db: Reader, column: string, ids: unknown) {
  const ref = sql.ref(column)
  return db.engine === 'postgres'
    ? sql<boolean>`${ref} = any(${ids})`
    : sql<boolean>`${ref} in (select value from json_each(${ids}))`
}

function idList(db: Reader, ids: readonly number[]): IdList {
  return { ids: db.engine === 'postgres' ? ids : JSON.stringify(ids) }
}

const contexts = prepareQuery((db, { ids }: IdList) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .leftJoin('repositories', (join) =>
      join.onRef('repositories.project_id', '=', 'projects.id').on('repositories.kind', '=', 'project'),
    )
    .select([
      'projects.id as project_id',
      'namespaces.id as namespace_id',
      'namespaces.name as namespace_name',
      'namespaces.path as namespace_path',
      'namespaces.kind as namespace_kind',
      'namespaces.full_path as namespace_full_path',
      'namespaces.full_name as namespace_full_name',
      'namespaces.parent_id as namespace_parent_id',
      'namespaces.avatar as namespace_avatar',
      'namespaces.owner_id as namespace_owner_id',
      'repositories.storage',
      'repositories.object_format',
      'repositories.generation',
      'repositories.size_bytes',
      'repositories.commit_count',
    ])
    .where(within(db, 'projects.id', ids)),
)

/** Namespace and repository of each of these projects, in one query. */
export async function contextsOf(db: Reader, projectIds: readonly number[]): Promise<Map<number, ProjectContext>> {
  const rows: ProjectContext[] = await contexts(db, idList(db, projectIds))
  return new Map(rows.map((row) => [row.project_id, row]))
}

type RelationRow = {
  project_id: number
  kind: 'topic' | 'link' | 'forks' | 'above'
  number: number
  name: string | null
  full_path: string | null
  visibility: Visibility | null
  expires_at: string | null
  level: number | null
}

/** The columns that only links fill. */
const noLink = sql`cast(null as text), cast(null as text), cast(null as text), cast(null as text), cast(null as bigint)`

const relations = prepareQuery((db, { ids, today }: IdList & { today: string }) => ({
  compile: () =>
    sql<RelationRow>`
      select l.project_id as project_id, 'link' as kind, g.id as number, g.name as name, g.full_path as full_path,
        g.visibility as visibility, cast(l.expires_at as text) as expires_at, cast(l.access_level as bigint) as level
        from group_links l join namespaces g on g.id = l.group_id where ${within(db, 'l.project_id', ids)}
        and g.pending_delete = ${false} and (l.expires_at is null or l.expires_at > ${today})
      union all
      select project_id, 'topic', cast(position as bigint), name, cast(null as text), cast(null as text),
        cast(null as text), cast(null as bigint)
        from project_topics where ${within(db, 'project_id', ids)}
      union all
      select forked_from_id, 'forks', count(*), ${noLink}
        from projects where ${within(db, 'forked_from_id', ids)} and pending_delete = ${false} group by forked_from_id
      union all
      select p.id, 'above', a.ancestor_id, ${noLink}
        from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id where ${within(db, 'p.id', ids)}
      order by number`.compile(db as never),
}))

function linkOf(row: RelationRow): GroupLink {
  return {
    group_id: row.number,
    group_name: row.name ?? '',
    group_full_path: row.full_path ?? '',
    group_visibility: row.visibility ?? 'private',
    group_access_level: row.level ?? 0,
    expires_at: row.expires_at,
  }
}

/**
 * Topics in their order, invited groups by id, the number of forks and the namespaces above each of these projects, in one
 * query. Invitations count until the day on which they expire (contract 21 R1).
 */
export async function relationsOf(
  db: Reader,
  projectIds: readonly number[],
  today: string,
): Promise<Map<number, Relations>> {
  const found = new Map<number, Relations>()
  for (const row of await relations(db, { ...idList(db, projectIds), today })) {
    const of = found.get(row.project_id) ?? { topics: [], links: [], forksCount: 0, ancestorIds: [] }
    found.set(row.project_id, of)
    if (row.kind === 'topic') of.topics.push(row.name ?? '')
    else if (row.kind === 'forks') of.forksCount = row.number
    else if (row.kind === 'above') of.ancestorIds.push(row.number)
    else of.links.push(linkOf(row))
  }
  return found
}
