import { type Compilable, type RawBuilder, sql } from 'kysely'
import { prepareQuery, type Reader, within } from '../../../infra/database/index.ts'
import type { Visibility } from '../../namespaces/index.ts'
import type { ProjectRow, ProjectSizes } from '../tables.ts'

/** A group that was invited to a project. */
export type GroupLink = {
  group_id: number
  group_name: string
  group_full_path: string
  group_visibility: Visibility
  group_access_level: number
  expires_at: string | null
  member_role_id: number | null
}

/** What other tables hold about a project. */
export type Relations = { topics: string[]; links: GroupLink[] }

/** A condition that a column is one of the ids. */
type Match = (db: Reader, column: string, ids: unknown) => RawBuilder<boolean>

/** SQLite builds a table from a list of ids, so one id has a query of its own. */
const isOne: Match = (_db, column, id) => sql<boolean>`${sql.ref(column)} = ${id}`

const isAmong: Match = (db, column, ids) => within(db, column, ids as number[])

type Ids = { ids: unknown }

/** Prepares a query for one project and for many. */
function prepareForProjects<P extends object, Row>(
  build: (db: Reader, match: Match, parameters: P & Ids) => Compilable<Row>,
): (db: Reader, ids: readonly number[], parameters: P) => Promise<Row[]> {
  const one = prepareQuery<P & Ids, Row>((db, parameters) => build(db, isOne, parameters))
  const many = prepareQuery<P & Ids, Row>((db, parameters) => build(db, isAmong, parameters))
  return (db, ids, parameters) =>
    ids.length === 1 ? one(db, { ...parameters, ids: ids[0] }) : many(db, { ...parameters, ids })
}

const contexts = prepareForProjects((db, match, { ids }: Ids) => {
  const forks = sql<number>`(select count(*) from projects f
    where f.forked_from_id = projects.id and f.pending_delete = ${false})`
  // 1 when the project has topics or invited groups, else 0.
  const hasRelations = sql<number>`(case
    when exists (select 1 from project_topics t where t.project_id = projects.id)
      or exists (select 1 from group_links l where l.project_id = projects.id) then 1 else 0 end)`
  return db
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
      'repositories.commit_count',
      forks.as('forks_count'),
      hasRelations.as('has_relations'),
    ])
    .where(match(db, 'projects.id', ids))
})

/** The namespace, the repository and the number of forks of a project. */
export type ProjectContext = Awaited<ReturnType<typeof contexts>>[number]

/** The contexts of these projects, in one query. */
export async function contextsOf(db: Reader, projectIds: readonly number[]): Promise<Map<number, ProjectContext>> {
  const rows = await contexts(db, projectIds, {})
  return new Map(rows.map((row) => [row.project_id, row]))
}

const sizes = prepareForProjects((db, match, { ids }: Ids) =>
  db
    .selectFrom('project_sizes')
    .selectAll()
    .where(match(db, 'project_sizes.project_id', ids)),
)

/** What these projects store, in bytes, in one query. */
export async function sizesOf(db: Reader, projectIds: readonly number[]): Promise<Map<number, ProjectSizes>> {
  return new Map((await sizes(db, projectIds, {})).map((row) => [row.project_id, row]))
}

type RelationRow = {
  project_id: number
  kind: 'topic' | 'link'
  number: number
  name: string
  full_path: string | null
  visibility: Visibility | null
  expires_at: string | null
  level: number | null
  member_role_id: number | null
}

const relations = prepareForProjects((db, match, { ids, today }: Ids & { today: string }) => ({
  compile: () =>
    sql<RelationRow>`
      select l.project_id as project_id, 'link' as kind, g.id as number, g.name as name, g.full_path as full_path,
        g.visibility as visibility, cast(l.expires_at as text) as expires_at, cast(l.access_level as bigint) as level,
        l.member_role_id as member_role_id
        from group_links l join namespaces g on g.id = l.group_id where ${match(db, 'l.project_id', ids)}
        and g.pending_delete = ${false} and (l.expires_at is null or l.expires_at > ${today})
      union all
      select a.project_id, 'topic', cast(a.position as bigint), t.name, cast(null as text), cast(null as text),
        cast(null as text), cast(null as bigint), cast(null as bigint)
        from project_topics a join topics t on t.id = a.topic_id where ${match(db, 'a.project_id', ids)}
      order by number`.compile(db as never),
}))

function linkOf(row: RelationRow): GroupLink {
  return {
    group_id: row.number,
    group_name: row.name,
    group_full_path: row.full_path ?? '',
    group_visibility: row.visibility ?? 'private',
    group_access_level: row.level ?? 0,
    expires_at: row.expires_at,
    member_role_id: row.member_role_id,
  }
}

/**
 * Topics in their order and invited groups by id, in one query; projects without any are absent. Invitations count until
 * the day on which they expire (contract 21 R1).
 */
export async function relationsOf(
  db: Reader,
  projectIds: readonly number[],
  today: string,
): Promise<Map<number, Relations>> {
  const found = new Map<number, Relations>()
  if (projectIds.length === 0) return found
  for (const row of await relations(db, projectIds, { today })) {
    const of = found.get(row.project_id) ?? { topics: [], links: [] }
    found.set(row.project_id, of)
    if (row.kind === 'topic') of.topics.push(row.name)
    else of.links.push(linkOf(row))
  }
  return found
}

/** What a project in short is presented from. */
export type SummaryRow = Pick<ProjectRow, 'id' | 'description' | 'name' | 'path' | 'full_path' | 'created_at'> & {
  namespace_full_name: string
}

export async function summaryRows(db: Reader, ids: readonly number[]): Promise<SummaryRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.description', 'projects.name', 'projects.path', 'projects.full_path'])
    .select(['projects.created_at', 'namespaces.full_name as namespace_full_name'])
    .where(within(db, 'projects.id', [...new Set(ids)]))
    .execute()
}
