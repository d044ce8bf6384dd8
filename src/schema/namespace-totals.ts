import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'
import { forEachRow } from './triggers.ts'

/** Rows of `namespace_marks`: what a row of a table is a part of, as `select source, source_id`. */
type Marks = string

const mark = (source: string, id: string): Marks => `select '${source}', ${id}`

type Row = 'new' | 'old'

/** Marks what is counted of a project each by itself, because its sums may be of many rows. */
const allOf = (row: Row): Marks[] =>
  ['project', 'lfs', 'snippets', 'uploads'].map((source) => mark(source, `${row}.id`))

const uploadsOf = (row: Row): Marks[] => [
  `${mark('uploads', `${row}.project_id`)} where ${row}.project_id is not null`,
  `${mark('namespace', `${row}.namespace_id`)} where ${row}.namespace_id is not null`,
]

const repositoriesOf = (row: Row): Marks[] => [
  `${mark('project', `${row}.project_id`)} where ${row}.project_id is not null`,
  `${mark('snippets', 'n.project_id')} from snippets n where n.id = ${row}.snippet_id and n.project_id is not null`,
]

/** What each change of a table marks; an update only when one of the columns has another value. */
const changes: readonly [table: string, event: string, columns: readonly string[], marks: readonly Marks[]][] = [
  ['projects', 'insert', [], [mark('project', 'new.id')]],
  ['projects', 'delete', [], allOf('old')],
  ['projects', 'update', ['pending_delete'], allOf('new')],
  ['projects', 'update', ['namespace_id'], [...allOf('new'), mark('members', 'new.id')]],
  ['repositories', 'insert', [], repositoriesOf('new')],
  ['repositories', 'delete', [], repositoriesOf('old')],
  ['repositories', 'update', ['size_bytes'], repositoriesOf('new')],
  ['lfs_objects_projects', 'insert', [], [mark('lfs', 'new.project_id')]],
  ['lfs_objects_projects', 'delete', [], [mark('lfs', 'old.project_id')]],
  ['snippets', 'delete', [], [`${mark('snippets', 'old.project_id')} where old.project_id is not null`]],
  ['uploads', 'insert', [], uploadsOf('new')],
  ['uploads', 'delete', [], uploadsOf('old')],
  ['uploads', 'update', ['size_bytes', 'project_id', 'namespace_id'], [...uploadsOf('old'), ...uploadsOf('new')]],
  ['members', 'insert', [], [mark('member', 'new.id')]],
  ['members', 'delete', [], [mark('member', 'old.id')]],
  ['members', 'update', ['namespace_id', 'project_id', 'user_id'], [mark('member', 'new.id')]],
  ['namespaces', 'insert', [], [`${mark('namespace', 'new.id')} where new.owner_id is not null`]],
  ['namespaces', 'delete', [], [mark('namespace', 'old.id')]],
  ['namespaces', 'update', ['owner_id'], [mark('namespace', 'new.id')]],
  ['users', 'update', ['state', 'bot_kind'], [mark('user', 'new.id')]],
]

/** Triggers that mark in the transaction of a change what it changes. */
function triggers(dialect: Dialect): RawBuilder<unknown>[] {
  return changes.flatMap(([table, event, columns, marks]) => {
    const name = [table, event, ...columns.slice(0, 1), 'marks'].join('_')
    const statements = marks.map((one) => `insert into namespace_marks (source, source_id) ${one}`).join('; ')
    const of = columns.length > 0 ? ` of ${columns.join(', ')}` : ''
    const isMet = columns.map((column) => `new.${column} is distinct from old.${column}`).join(' or ')
    const trigger = { name, event: `after ${event}${of}`, table, statement: statements }
    return forEachRow(dialect, isMet ? { ...trigger, isMet } : trigger)
  })
}

const sizes = 'repository_bytes, wiki_bytes, lfs_bytes, snippet_bytes, upload_bytes'
const sums = ['projects', ...sizes.split(', ')].map((column) => `cast(coalesce(sum(${column}), 0) as bigint)`)

/** Counts all that there is: the parts, then the users of each namespace, then the totals. */
export const countEverything: readonly string[] = [
  'delete from namespace_parts',
  'delete from namespace_users',
  'delete from namespace_totals',
  `insert into namespace_parts (source, source_id, namespace_id, projects, repository_bytes, wiki_bytes)
    select 'project', p.id, p.namespace_id, 1,
      (select r.size_bytes from repositories r where r.project_id = p.id and r.kind = 'project'),
      (select r.size_bytes from repositories r where r.project_id = p.id and r.kind = 'wiki')
    from projects p where p.pending_delete = false`,
  ...[
    ['lfs', 'lfs_bytes', 'r', 'lfs_objects_projects r join lfs_objects b on b.id = r.object_id'],
    ['snippets', 'snippet_bytes', 'r', 'snippets r join repositories b on b.snippet_id = r.id'],
    ['uploads', 'upload_bytes', 'b', 'uploads b'],
  ].map(
    ([source, column, owner, rows]) => `insert into namespace_parts (source, source_id, namespace_id, ${column})
      select '${source}', p.id, p.namespace_id, found.bytes
      from (select ${owner}.project_id, sum(b.size_bytes) as bytes from ${rows}
        where ${owner}.project_id is not null group by ${owner}.project_id) found
      join projects p on p.id = found.project_id where p.pending_delete = false`,
  ),
  `insert into namespace_parts (source, source_id, namespace_id, user_id, in_groups, in_places)
    select 'member', m.id, m.namespace_id, m.user_id, 1, 1 from members m where m.namespace_id is not null`,
  `insert into namespace_parts (source, source_id, namespace_id, user_id, in_groups, in_places)
    select 'member', m.id, p.namespace_id, m.user_id, 0, 1 from members m join projects p on p.id = m.project_id`,
  `insert into namespace_parts (source, source_id, namespace_id, user_id, in_groups, in_places, upload_bytes)
    select 'namespace', n.id, n.id, n.owner_id, 0, case when n.owner_id is null then 0 else 1 end,
      (select sum(u.size_bytes) from uploads u where u.namespace_id = n.id) from namespaces n`,
  `insert into namespace_users (namespace_id, user_id, in_groups, in_places, is_billable)
    select found.ancestor_id, found.user_id, found.in_groups, found.in_places, u.bot_kind is null and u.state = 'active'
    from (select a.ancestor_id, p.user_id, sum(p.in_groups) as in_groups, sum(p.in_places) as in_places
      from namespace_parts p join namespace_ancestors a on a.namespace_id = p.namespace_id
      where p.user_id is not null group by a.ancestor_id, p.user_id) found join users u on u.id = found.user_id`,
  `insert into namespace_totals (namespace_id, is_own, projects, ${sizes})
    select namespace_id, true, ${sums.join(', ')} from namespace_parts group by namespace_id`,
  `insert into namespace_totals (namespace_id, is_own, projects, ${sizes}, members, seats)
    select n.id, false, coalesce(t.projects, 0), ${sizes
      .split(', ')
      .map((column) => `coalesce(t.${column}, 0)`)
      .join(', ')}, coalesce(c.members, 0), coalesce(c.seats, 0)
    from namespaces n
    left join (select a.ancestor_id, ${['projects', ...sizes.split(', ')]
      .map((column) => `cast(sum(o.${column}) as bigint) as ${column}`)
      .join(', ')} from namespace_totals o join namespace_ancestors a on a.namespace_id = o.namespace_id
      where o.is_own group by a.ancestor_id) t on t.ancestor_id = n.id
    left join (select namespace_id, sum(case when in_groups > 0 then 1 else 0 end) as members,
      sum(case when is_billable then 1 else 0 end) as seats
      from namespace_users group by namespace_id) c on c.namespace_id = n.id`,
]

/**
 * What lies in each namespace and below it, kept so that lists need not count it (decision 0022). `namespace_parts` has what was counted
 * of each project, membership and namespace, `namespace_users` the users whom a namespace or what lies below it has, `namespace_totals`
 * the sums. `namespace_marks` names what has changed since it was counted: triggers append to it, so that writers do not wait for each
 * other.
 */
export function up(dialect: Dialect) {
  const { id } = dialect
  return [
    sql`create table namespace_marks (id ${id}, source text not null, source_id bigint not null)`,
    sql`create table namespace_parts (
      source text not null,
      source_id bigint not null,
      namespace_id bigint not null,
      user_id bigint,
      in_groups integer,
      in_places integer,
      projects integer,
      repository_bytes bigint,
      wiki_bytes bigint,
      lfs_bytes bigint,
      snippet_bytes bigint,
      upload_bytes bigint,
      primary key (source, source_id)
    )`,
    sql`create table namespace_users (
      namespace_id bigint not null references namespaces (id) on delete cascade,
      user_id bigint not null,
      in_groups bigint not null,
      in_places bigint not null,
      is_billable boolean not null,
      primary key (namespace_id, user_id)
    )`,
    sql`create index namespace_users_user on namespace_users (user_id)`,
    sql`create index namespace_users_gone on namespace_users (namespace_id) where in_places = 0`,
    sql`create table namespace_totals (
      namespace_id bigint not null references namespaces (id) on delete cascade,
      is_own boolean not null,
      projects bigint not null default 0,
      repository_bytes bigint not null default 0,
      wiki_bytes bigint not null default 0,
      lfs_bytes bigint not null default 0,
      snippet_bytes bigint not null default 0,
      upload_bytes bigint not null default 0,
      members bigint not null default 0,
      seats bigint not null default 0,
      primary key (namespace_id, is_own)
    )`,
    ...countEverything.map((statement) => sql.raw(statement)),
    ...triggers(dialect),
  ]
}
