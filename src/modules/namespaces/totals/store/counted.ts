import { sql } from 'kysely'
import { joinNext, type Reader, within } from '../../../../infra/database/index.ts'
import type { Totals } from './totals.ts'

type Counted = Partial<Totals> & { id: number }

/** What the totals of these namespaces and everything below them have to be: counted from the rows that they are totals of. */
export async function countedTotals(db: Reader, ids: readonly number[]): Promise<Map<number, Partial<Totals>>> {
  const join = joinNext(db)
  const of = within(db, 'a.ancestor_id', ids)
  const projects = sql`namespace_ancestors a ${join} projects p on p.namespace_id = a.namespace_id`
  const isShown = sql`${of} and p.pending_delete = ${false} group by a.ancestor_id`
  const all = await Promise.all(
    [
      sql<Counted>`select a.ancestor_id as id, count(*) as projects from ${projects} where ${isShown}`,
      sql<Counted>`select a.ancestor_id as id,
          cast(sum(case when r.kind = 'project' then r.size_bytes else 0 end) as bigint) as repository_bytes,
          cast(sum(case when r.kind = 'wiki' then r.size_bytes else 0 end) as bigint) as wiki_bytes
        from ${projects} ${join} repositories r on r.project_id = p.id where ${isShown}`,
      sql<Counted>`select a.ancestor_id as id, cast(sum(o.size_bytes) as bigint) as lfs_bytes
        from ${projects} ${join} lfs_objects_projects l on l.project_id = p.id
        ${join} lfs_objects o on o.id = l.object_id where ${isShown}`,
      sql<Counted>`select a.ancestor_id as id, cast(sum(r.size_bytes) as bigint) as snippet_bytes
        from ${projects} ${join} snippets n on n.project_id = p.id
        ${join} repositories r on r.snippet_id = n.id where ${isShown}`,
      sql<Counted>`select a.ancestor_id as id, cast(sum(k.size_bytes) as bigint) as package_bytes
        from ${projects} ${join} packages k on k.project_id = p.id and k.status <> 'pending_destruction' where ${isShown}`,
      sql<Counted>`select id, cast(sum(size_bytes) as bigint) as upload_bytes from (
          select a.ancestor_id as id, (select sum(u.size_bytes) from uploads u where u.project_id = p.id) as size_bytes
            from ${projects} where ${of} and p.pending_delete = ${false}
          union all
          select a.ancestor_id, u.size_bytes
            from namespace_ancestors a ${join} uploads u on u.namespace_id = a.namespace_id where ${of}
        ) found group by id`,
      sql<Counted>`select a.ancestor_id as id, count(distinct m.user_id) as members
        from namespace_ancestors a ${join} members m on m.namespace_id = a.namespace_id
        where ${of} group by a.ancestor_id`,
      sql<Counted>`select seat.id, count(distinct seat.user_id) as seats from (
          select a.ancestor_id as id, m.user_id
            from namespace_ancestors a ${join} members m on m.namespace_id = a.namespace_id where ${of}
          union all
          select a.ancestor_id, m.user_id from ${projects} ${join} members m on m.project_id = p.id where ${of}
          union all
          select a.ancestor_id, n.owner_id from namespace_ancestors a
            ${join} namespaces n on n.id = a.namespace_id where ${of} and n.owner_id is not null
        ) seat ${join} users u on u.id = seat.user_id and u.bot_kind is null and u.state = 'active'
        group by seat.id`,
    ].map(async (query) => (await query.execute(db as never)).rows),
  )
  const counted = new Map<number, Partial<Totals>>(ids.map((id) => [id, {}]))
  for (const { id, ...some } of all.flat()) counted.set(id, { ...counted.get(id), ...some })
  return counted
}
