import { sql } from 'kysely'
import { type Reader, within } from '../../../infra/database/index.ts'

/** What owners of a namespace see of it, everything below included (contract 21, Namespace). */
export type NamespaceFacts = {
  membersCount: number
  projectsCount: number
  repositoryBytes: number
  /** Users with a membership anywhere in it; bots do not count. */
  seats: number
}

type Counted = { id: number; count: number }

const none: NamespaceFacts = { membersCount: 0, projectsCount: 0, repositoryBytes: 0, seats: 0 }

/** Loads the facts of a page of namespaces with three queries. */
export async function namespaceFacts(db: Reader, ids: readonly number[]): Promise<Map<number, NamespaceFacts>> {
  if (ids.length === 0) return new Map()
  const of = within(db, 'a.ancestor_id', ids)
  const members = await sql<Counted>`
    select a.ancestor_id as id, count(distinct m.user_id) as count
    from namespace_ancestors a join members m on m.namespace_id = a.namespace_id
    where ${of} group by a.ancestor_id`.execute(db as never)
  const projects = await sql<Counted & { bytes: number }>`
    select a.ancestor_id as id, count(distinct p.id) as count, coalesce(sum(r.size_bytes), 0) as bytes
    from namespace_ancestors a join projects p on p.namespace_id = a.namespace_id and p.pending_delete = ${false}
    left join repositories r on r.project_id = p.id and r.kind = 'project'
    where ${of} group by a.ancestor_id`.execute(db as never)
  // The cross joins fix the order in SQLite, which has no statistics and would start at all users who are active.
  const seats = await sql<Counted>`
    select seat.id, count(distinct seat.user_id) as count from (
      select a.ancestor_id as id, m.user_id from namespace_ancestors a
        join members m on m.namespace_id = a.namespace_id where ${of}
      union all
      select a.ancestor_id, m.user_id from namespace_ancestors a
        join projects p on p.namespace_id = a.namespace_id join members m on m.project_id = p.id where ${of}
      union all
      select a.ancestor_id, n.owner_id from namespace_ancestors a
        cross join namespaces n where ${of} and n.id = a.namespace_id and n.kind = 'user'
    ) seat cross join users u where u.id = seat.user_id and u.bot_kind is null and u.state = 'active'
    group by seat.id`.execute(db as never)
  const facts = new Map<number, NamespaceFacts>()
  const add = (id: number, more: Partial<NamespaceFacts>) => facts.set(id, { ...(facts.get(id) ?? none), ...more })
  for (const id of ids) add(id, {})
  for (const { id, count } of members.rows) add(id, { membersCount: count })
  for (const { id, count, bytes } of projects.rows) add(id, { projectsCount: count, repositoryBytes: bytes })
  for (const { id, count } of seats.rows) add(id, { seats: count })
  return facts
}
