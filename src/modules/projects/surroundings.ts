import { sql } from 'kysely'
import { prepareQuery, type Reader } from '../../infra/database/index.ts'
import type { Visibility } from '../namespaces/index.ts'

/** What a project is shown with besides its own row: its namespace and its repository. */
export type Surroundings = {
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

/** What many rows of other tables say of one project. */
export type Relations = {
  topics: string[]
  links: GroupLink[]
  forksCount: number
  /** Its namespace and all above it. */
  ancestorIds: number[]
}

type IdList = { ids: unknown }

/** `within` for a prepared query, whose values come later. */
function among(db: Reader, column: string, ids: unknown) {
  const ref = sql.ref(column)
  return db.engine === 'postgres'
    ? sql<boolean>`${ref} = any(${ids})`
    : sql<boolean>`${ref} in (select value from json_each(${ids}))`
}

function idList(db: Reader, ids: readonly number[]): IdList {
  return { ids: db.engine === 'postgres' ? ids : JSON.stringify(ids) }
}

const surroundings = prepareQuery((db, { ids }: IdList) =>
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
    .where(among(db, 'projects.id', ids)),
)

/** Namespace and repository of each of these projects, in one query. */
export async function surroundingsOf(db: Reader, projectIds: readonly number[]): Promise<Map<number, Surroundings>> {
  const rows: Surroundings[] = await surroundings(db, idList(db, projectIds))
  return new Map(rows.map((row) => [row.project_id, row]))
}

const noText = sql<string | null>`cast(null as text)`

const relations = prepareQuery((db, { ids }: IdList) => {
  const topics = db
    .selectFrom('project_topics')
    .select([
      'project_topics.project_id as project_id',
      sql<'topic' | 'link' | 'forks' | 'above'>`'topic'`.as('kind'),
      sql<number>`cast(position as bigint)`.as('number'),
      'project_topics.name as name',
      noText.as('full_path'),
      noText.as('visibility'),
      noText.as('expires_at'),
      sql<number>`cast(0 as bigint)`.as('level'),
    ])
    .where(among(db, 'project_topics.project_id', ids))
  const links = db
    .selectFrom('group_links')
    .innerJoin('namespaces', 'namespaces.id', 'group_links.group_id')
    .select([
      sql<number>`group_links.project_id`.as('project_id'),
      sql<'link'>`'link'`.as('kind'),
      'namespaces.id as number',
      'namespaces.name as name',
      'namespaces.full_path as full_path',
      sql<string | null>`namespaces.visibility`.as('visibility'),
      sql<string | null>`cast(group_links.expires_at as text)`.as('expires_at'),
      sql<number>`cast(group_links.access_level as bigint)`.as('level'),
    ])
    .where(among(db, 'group_links.project_id', ids))
  const forks = db
    .selectFrom('projects')
    .select([
      sql<number>`forked_from_id`.as('project_id'),
      sql<'forks'>`'forks'`.as('kind'),
      sql<number>`cast(count(*) as bigint)`.as('number'),
      sql<string>`''`.as('name'),
      noText.as('full_path'),
      noText.as('visibility'),
      noText.as('expires_at'),
      sql<number>`cast(0 as bigint)`.as('level'),
    ])
    .where(among(db, 'projects.forked_from_id', ids))
    .where('pending_delete', '=', false)
    .groupBy('forked_from_id')
  const above = db
    .selectFrom('projects')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.namespace_id', 'projects.namespace_id')
    .select([
      'projects.id as project_id',
      sql<'above'>`'above'`.as('kind'),
      'namespace_ancestors.ancestor_id as number',
      sql<string>`''`.as('name'),
      noText.as('full_path'),
      noText.as('visibility'),
      noText.as('expires_at'),
      sql<number>`cast(0 as bigint)`.as('level'),
    ])
    .where(among(db, 'projects.id', ids))
  return topics.unionAll(links).unionAll(forks).unionAll(above).orderBy('number')
})

/** Topics in their order, invited groups by id, the number of forks and the namespaces above each of these projects, in one query. */
export async function relationsOf(db: Reader, projectIds: readonly number[]): Promise<Map<number, Relations>> {
  const found = new Map<number, Relations>()
  for (const row of await relations(db, idList(db, projectIds))) {
    const of = found.get(row.project_id) ?? { topics: [], links: [], forksCount: 0, ancestorIds: [] }
    found.set(row.project_id, of)
    if (row.kind === 'topic') of.topics.push(row.name)
    else if (row.kind === 'forks') of.forksCount = row.number
    else if (row.kind === 'above') of.ancestorIds.push(row.number)
    else {
      of.links.push({
        group_id: row.number,
        group_name: row.name,
        group_full_path: row.full_path ?? '',
        group_visibility: row.visibility as Visibility,
        group_access_level: row.level,
        expires_at: row.expires_at,
      })
    }
  }
  return found
}
