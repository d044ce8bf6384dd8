import { type RawBuilder, sql } from 'kysely'
import { acquireLock, type Reader, type Tx, within } from '../../../../infra/database/index.ts'
import type { Amounts } from '../../tables.ts'
import { amountColumns, comparison, differences, eachAmount, noAmounts, summedAmounts } from './changes.ts'

/** What lies in a namespace. `members` and `seats` are counted with everything below only. */
export type Totals = Amounts & {
  /** Members of groups, each once. */
  members: number
  /** Users with a membership anywhere in it, each once; bots do not count. */
  seats: number
}

const nothing: Totals = {
  ...{ projects: 0, repository_bytes: 0, wiki_bytes: 0, lfs_bytes: 0, snippet_bytes: 0, upload_bytes: 0 },
  ...{ package_bytes: 0, members: 0, seats: 0 },
}

/** The totals of a namespace itself, and with everything below it. */
export type TotalsOf = { own: Totals; below: Totals }

type TotalsRow = Totals & { namespace_id: number; is_own: boolean }

const allColumns = sql`namespace_id, is_own, ${amountColumns}, members, seats`

/** The totals of namespaces that are kept, with what has changed since they were. */
async function totalsRows(db: Reader, ids: readonly number[]): Promise<TotalsRow[]> {
  const kept = sql`select ${allColumns} from namespace_totals where ${within(db, 'namespace_id', ids)}`
  const marked = await sql`select id from namespace_marks limit 1`.execute(db as never)
  if (marked.rows.length === 0) return (await sql<TotalsRow>`${kept}`.execute(db as never)).rows
  const query = sql<TotalsRow>`with ${comparison(db, sql<boolean>`true`, ids)}
    select namespace_id, is_own, ${summedAmounts}, cast(sum(members) as bigint) as members,
      cast(sum(seats) as bigint) as seats
    from (${kept}
      union all select namespace_id, is_own, ${amountColumns}, 0, 0 from sums
      union all select namespace_id, false, ${noAmounts}, members, seats from differences
    ) together group by namespace_id, is_own`
  return (await query.execute(db as never)).rows
}

/** The totals of these namespaces, with two queries. */
export async function totalsOf(db: Reader, ids: readonly number[]): Promise<Map<number, TotalsOf>> {
  if (ids.length === 0) return new Map()
  const all = new Map(ids.map((id) => [id, { own: nothing, below: nothing }]))
  for (const { namespace_id, is_own, ...totals } of await totalsRows(db, ids)) {
    const one = all.get(namespace_id)
    if (one) one[is_own ? 'own' : 'below'] = totals
  }
  return all
}

/** How many projects are in a namespace and below it, as a value: as they were counted last, to choose a plan by. */
export const countedProjects = (id: number): RawBuilder<number> =>
  sql<number>`coalesce((select total.projects from namespace_totals total
    where total.namespace_id = ${id} and total.is_own = false), 0)`

/** The same of the projects in namespaces themselves. @param isOne whether an id is that of such a namespace */
export const countedProjectsIn = (isOne: (id: RawBuilder<unknown>) => RawBuilder<boolean>): RawBuilder<number> =>
  sql<number>`(select coalesce(sum(total.projects), 0) from namespace_totals total
    where total.is_own = true and ${isOne(sql.ref('total.namespace_id'))})`

/** Totals are written under this lock, so that what was counted cannot change while it is compared. */
const lock = 'namespaces.totals'

const added = eachAmount((column) => `${column} = namespace_totals.${column} + excluded.${column}`)

const addToTotals = sql`insert into namespace_totals (${allColumns})
  select namespace_id, is_own, ${summedAmounts}, cast(sum(members) as bigint), cast(sum(seats) as bigint) from (
    select namespace_id, is_own, ${amountColumns}, 0 as members, 0 as seats from sums
    union all select namespace_id, false, ${noAmounts}, members, seats from differences
  ) together where true group by namespace_id, is_own
  on conflict (namespace_id, is_own) do update set ${added},
    members = namespace_totals.members + excluded.members, seats = namespace_totals.seats + excluded.seats`

const setUsers = sql`insert into namespace_users (namespace_id, user_id, in_groups, in_places, is_billable)
  select namespace_id, user_id, in_groups, in_places, is_billable from differences where true
  on conflict (namespace_id, user_id) do update set in_groups = excluded.in_groups, in_places = excluded.in_places,
    is_billable = excluded.is_billable`

/** Removes the parts that are not present. SQLite finds rows by pairs of values only by a hint. */
function removeParts(tx: Tx) {
  const gone = sql`select source, source_id from changed except select source, source_id from present`
  if (tx.engine === 'postgres') return sql`delete from namespace_parts where (source, source_id) in (${gone})`
  return sql`delete from namespace_parts where rowid in (select p.rowid
    from (${gone}) c cross join namespace_parts p on p.source = c.source and p.source_id = c.source_id)`
}

const partColumns = sql`source, source_id, namespace_id, user_id, in_groups, in_places, ${amountColumns}`

const setParts = sql`insert into namespace_parts (${partColumns})
  select ${partColumns} from present where true
  on conflict (source, source_id) do update set namespace_id = excluded.namespace_id, user_id = excluded.user_id,
    in_groups = excluded.in_groups, in_places = excluded.in_places,
    ${eachAmount((column) => `${column} = excluded.${column}`)}`

/**
 * Performs writes that read the same parts of a query. On PostgreSQL as one statement, so that all see the same moment; SQLite has one
 * writer, and each write here leaves what the next ones read.
 */
async function writeAll(tx: Tx, parts: ReturnType<typeof comparison>, writes: readonly ReturnType<typeof sql>[]) {
  if (tx.engine === 'postgres') {
    const named = writes.map((write, index) => sql`${sql.ref(`write_${index}`)} as (${write})`)
    await sql`with ${parts}, ${sql.join(named)} select 1`.execute(tx)
  } else {
    for (const write of writes) await sql`with ${parts} ${write}`.execute(tx)
  }
  await sql`delete from namespace_users where in_places = 0`.execute(tx)
}

/** Counts what the oldest marks name, and removes these. @returns the number of marks */
export async function countMarked(tx: Tx, limit: number): Promise<number> {
  await acquireLock(tx, lock)
  const { rows } = await sql<{ id: number }>`select id from namespace_marks order by id limit ${limit}`.execute(tx)
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await writeAll(tx, comparison(tx, within(tx, 'id', ids)), [addToTotals, setUsers, removeParts(tx), setParts])
  await tx
    .deleteFrom('namespace_marks')
    .where(within(tx, 'id', ids))
    .execute()
  return ids.length
}

/**
 * Adds the totals of a namespace to those of the namespaces above it, or subtracts them. What is marked and not yet counted is
 * counted where it will lie then.
 */
async function shiftTotals(tx: Tx, id: number, sign: 1 | -1): Promise<void> {
  await acquireLock(tx, lock)
  const by = sql.lit(sign)
  const above = sql`namespace_ancestors a cross join`
  const where = sql`where a.namespace_id = ${id} and a.depth > 0`
  const parts = sql`sums as materialized (
      select a.ancestor_id as namespace_id, false as is_own, ${eachAmount((column) => `${sign} * t.${column} as ${column}`)}
      from ${above} namespace_totals t ${where} and t.namespace_id = a.namespace_id and t.is_own = false),
    pairs as materialized (
      select a.ancestor_id as namespace_id, s.user_id, ${by} * s.in_groups as in_groups, ${by} * s.in_places as in_places,
        s.is_billable
      from ${above} namespace_users s ${where} and s.namespace_id = a.namespace_id),
    differences as materialized (${differences(sql`coalesce(o.is_billable, pairs.is_billable)`)})`
  await writeAll(tx, parts, [addToTotals, setUsers])
}

/** To be called before a namespace loses those above it, or is deleted. */
export const subtractTotals = (tx: Tx, id: number): Promise<void> => shiftTotals(tx, id, -1)

/** To be called when a namespace has others above it. */
export const addTotals = (tx: Tx, id: number): Promise<void> => shiftTotals(tx, id, 1)

/** Ids of the next namespaces. */
export function namespacesAfter(db: Reader, id: number, limit: number): Promise<{ id: number }[]> {
  return db.selectFrom('namespaces').select('id').where('id', '>', id).orderBy('id').limit(limit).execute()
}
