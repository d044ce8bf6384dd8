import { type RawBuilder, sql } from 'kysely'
import { lookUp, type Reader, within } from '../../../../infra/database/index.ts'

type Sql = RawBuilder<unknown>

const sizes = ['repository_bytes', 'wiki_bytes', 'lfs_bytes', 'snippet_bytes', 'upload_bytes', 'package_bytes'] as const
const amounts = ['projects', ...sizes] as const

/** What is counted of each namespace, in the order of the columns. @param text gives the expression of a column */
export const eachAmount = (text: (column: string) => string): Sql => sql.raw(amounts.map(text).join(', '))

export const amountColumns: Sql = eachAmount((column) => column)
export const noAmounts: Sql = eachAmount(() => '0')
/** Integers also on PostgreSQL, whose sums of integers are decimals. */
export const summedAmounts: Sql = eachAmount((column) => `cast(coalesce(sum(${column}), 0) as bigint) as ${column}`)

/** What is marked, as it is now, in the columns of `namespace_parts`. What is no longer there is missing. */
function present(db: Reader): Sql {
  const only = (source: string) => sql`(select source_id from changed where source = ${sql.lit(source)}) c`
  const project = lookUp(db, 'projects as p', sql`p.id = c.source_id`)
  const bytesOf = (kind: string) =>
    sql`(select r.size_bytes from repositories r where r.project_id = p.id and r.kind = ${sql.lit(kind)})`
  const summed = (rows: Sql) => sql`(select cast(sum(b.size_bytes) as bigint) from ${rows})`
  const lfs = summed(sql`lfs_objects_projects l join lfs_objects b on b.id = l.object_id where l.project_id = p.id`)
  const snippets = summed(sql`snippets n join repositories b on b.snippet_id = n.id where n.project_id = p.id`)
  const uploads = summed(sql`uploads b where b.project_id = p.id`)
  // A project may have a hundred thousand packages, whose sum is kept.
  const packages = sql`(select s.package_bytes from project_sizes s where s.project_id = p.id)`
  return sql`
    select 'project' as source, p.id as source_id, p.namespace_id, cast(null as bigint) as user_id, 0 as in_groups,
      0 as in_places, 1 as projects, ${bytesOf('project')} as repository_bytes, ${bytesOf('wiki')} as wiki_bytes,
      0 as lfs_bytes, 0 as snippet_bytes, 0 as upload_bytes, 0 as package_bytes
    from ${only('project')} ${project} where p.pending_delete = false
    union all
    select 'lfs', p.id, p.namespace_id, null, 0, 0, 0, 0, 0, ${lfs}, 0, 0, 0
    from ${only('lfs')} ${project} where p.pending_delete = false
    union all
    select 'snippets', p.id, p.namespace_id, null, 0, 0, 0, 0, 0, 0, ${snippets}, 0, 0
    from ${only('snippets')} ${project} where p.pending_delete = false
    union all
    select 'uploads', p.id, p.namespace_id, null, 0, 0, 0, 0, 0, 0, 0, ${uploads}, 0
    from ${only('uploads')} ${project} where p.pending_delete = false
    union all
    select 'packages', p.id, p.namespace_id, null, 0, 0, 0, 0, 0, 0, 0, 0, ${packages}
    from ${only('packages')} ${project} where p.pending_delete = false
    union all
    select 'member', m.id, coalesce(m.namespace_id, p.namespace_id), m.user_id,
      case when m.namespace_id is null then 0 else 1 end, 1, 0, 0, 0, 0, 0, 0, 0
    from ${only('member')} ${lookUp(db, 'members as m', sql`m.id = c.source_id`)}
      left join projects p on p.id = m.project_id
    union all
    select 'namespace', n.id, n.id, n.owner_id, 0, case when n.owner_id is null then 0 else 1 end, 0, 0, 0, 0, 0,
      ${summed(sql`uploads b where b.namespace_id = n.id`)}, 0
    from ${only('namespace')} ${lookUp(db, 'namespaces as n', sql`n.id = c.source_id`)}`
}

/** How the numbers of users change by `pairs` of a namespace and a user. @param isBillable of a row of `pairs`, its row `o` and its user `u` */
export const differences = (isBillable: Sql): Sql => sql`
  select namespace_id, user_id, in_groups, in_places, is_billable,
    (case when in_groups > 0 then 1 else 0 end) - had_groups as members,
    (case when in_places > 0 and is_billable then 1 else 0 end) - had_seat as seats
  from (
    select pairs.namespace_id, pairs.user_id, coalesce(o.in_groups, 0) + pairs.in_groups as in_groups,
      coalesce(o.in_places, 0) + pairs.in_places as in_places, ${isBillable} as is_billable,
      case when o.in_groups > 0 then 1 else 0 end as had_groups,
      case when o.in_places > 0 and o.is_billable then 1 else 0 end as had_seat
    from pairs left join namespace_users o on o.namespace_id = pairs.namespace_id and o.user_id = pairs.user_id
      left join users u on u.id = pairs.user_id
  ) compared`

/** Whether a user takes a seat: people and programs of people do while they may sign in, bots of tokens do not. */
const isBillableNow = sql`(u.id is not null and u.bot_kind is null and u.state = 'active')`

/**
 * The parts of a query, to stand after `with`, that compare what is marked with what was counted of it: `sums` of amounts and
 * `differences` of users by namespace, and `changed` and `present` with the parts themselves. It is one statement, so that all of it
 * is of one moment.
 * @param marks restricts the rows of `namespace_marks`
 * @param ids only these namespaces. Default: all above what is marked
 */
export function comparison(db: Reader, marks: RawBuilder<boolean>, ids?: readonly number[]): Sql {
  const among = (column: string) => (ids ? sql`and ${within(db, column, ids)}` : sql``)
  const ancestors = lookUp(db, 'namespace_ancestors as a', sql`a.namespace_id = moved.namespace_id`)
  return sql`batch as materialized (select source, source_id from namespace_marks where ${marks}),
    changed as materialized (
      select source, source_id from batch where source not in ('members', 'user')
      union select 'member', m.id from (select source_id from batch where source = 'members') b
        ${lookUp(db, 'members as m', sql`m.project_id = b.source_id`)}),
    present as materialized (${present(db)}),
    moved as materialized (
      select namespace_id, user_id, in_groups, in_places, ${amountColumns} from present
      union all select p.namespace_id, p.user_id, -p.in_groups, -p.in_places, ${eachAmount((column) => `-p.${column}`)}
        from changed c ${lookUp(db, 'namespace_parts as p', sql`p.source = c.source and p.source_id = c.source_id`)}),
    sums as materialized (
      select a.ancestor_id as namespace_id, false as is_own, ${summedAmounts}
        from moved ${ancestors} where true ${among('a.ancestor_id')} group by a.ancestor_id
      union all select moved.namespace_id, true, ${summedAmounts}
        from moved ${lookUp(db, 'namespaces as n', sql`n.id = moved.namespace_id`)}
        where true ${among('moved.namespace_id')} group by moved.namespace_id),
    pairs as materialized (
      select namespace_id, user_id, cast(sum(in_groups) as bigint) as in_groups, cast(sum(in_places) as bigint) as in_places
      from (
        select a.ancestor_id as namespace_id, moved.user_id, moved.in_groups, moved.in_places
          from moved ${ancestors} where moved.user_id is not null ${among('a.ancestor_id')}
        union all select o.namespace_id, o.user_id, 0, 0 from (select distinct source_id from batch where source = 'user') b
          ${lookUp(db, 'namespace_users as o', sql`o.user_id = b.source_id`)}
          where true ${among('o.namespace_id')}
      ) touched group by namespace_id, user_id),
    differences as materialized (${differences(isBillableNow)})`
}
