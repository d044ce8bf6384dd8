import { type RawBuilder, sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'

/** The tables of a rule's lists. In lists with `keys` an entry may name a deploy key. */
const lists = {
  push: { table: 'protected_branch_push_access_levels', keys: true },
  merge: { table: 'protected_branch_merge_access_levels', keys: false },
  unprotect: { table: 'protected_branch_unprotect_access_levels', keys: false },
  create: { table: 'protected_tag_create_access_levels', keys: true },
} as const

/** The action that a list grants: three for protected branches, one for protected tags. */
export type ListKind = keyof typeof lists

export const branchLists = ['push', 'merge', 'unprotect'] as const satisfies readonly ListKind[]

/** The role, user, group or deploy key that an entry names: exactly one is set. */
export type Grantee = {
  access_level: number | null
  user_id: number | null
  group_id: number | null
  deploy_key_id: number | null
}

export type Entry = Grantee & { id: number; rule_id: number }

/** An entry with the name of the user or group, or the title of the key. */
export type DescribedEntry = Entry & { title: string | null }

const keyOf = (kind: ListKind) => (lists[kind].keys ? sql.ref('deploy_key_id') : sql`cast(null as bigint)`)

function rowsOf(db: Reader, kinds: readonly ListKind[], ruleIds: readonly number[]): RawBuilder<unknown> {
  const parts = kinds.map(
    (kind) => sql`select ${sql.lit(kind)} as kind, id, rule_id, access_level, user_id, group_id,
      ${keyOf(kind)} as deploy_key_id from ${sql.table(lists[kind].table)} where ${within(db, 'rule_id', ruleIds)}`,
  )
  return sql.join(parts, sql` union all `)
}

type Listed<E extends Entry> = Map<number, Record<ListKind, E[]>>

const none = (): Record<ListKind, never[]> => ({ push: [], merge: [], unprotect: [], create: [] })

function byRule<E extends Entry>(rows: readonly (E & { kind: ListKind })[]): Listed<E> {
  const rules: Listed<E> = new Map()
  for (const { kind, ...entry } of rows) {
    const rule = rules.get(entry.rule_id) ?? none()
    rules.set(entry.rule_id, rule)
    const list: E[] = rule[kind]
    list.push(entry as unknown as E)
  }
  return rules
}

/** The lists of these rules by rule id, entries by id, in one query. */
export async function entriesOf(
  db: Reader,
  kinds: readonly ListKind[],
  ruleIds: readonly number[],
): Promise<Listed<Entry>> {
  if (ruleIds.length === 0) return new Map()
  const query = sql<Entry & { kind: ListKind }>`select * from (${rowsOf(db, kinds, ruleIds)}) entries order by id`
  return byRule((await query.execute(db as never)).rows)
}

/** Like `entriesOf`, with the title of each entry. */
export async function describedEntriesOf(
  db: Reader,
  kinds: readonly ListKind[],
  ruleIds: readonly number[],
): Promise<Listed<DescribedEntry>> {
  if (ruleIds.length === 0) return new Map()
  const query = sql<DescribedEntry & { kind: ListKind }>`
    select e.*, coalesce(u.name, n.name, k.title) as title from (${rowsOf(db, kinds, ruleIds)}) e
      left join users u on u.id = e.user_id
      left join namespaces n on n.id = e.group_id
      left join keys k on k.id = e.deploy_key_id
      order by e.id`
  return byRule((await query.execute(db as never)).rows)
}

/** The table of a list, with the type of the first: the others lack at most the column `deploy_key_id`. */
const tableOf = (kind: ListKind) => lists[kind].table as typeof lists.push.table

function columnsOf(kind: ListKind, { access_level, user_id, group_id, deploy_key_id }: Grantee) {
  const columns = { access_level, user_id, group_id }
  return lists[kind].keys ? { ...columns, deploy_key_id } : columns
}

/** Adds entries to a list of a rule, in this order. */
export async function insertEntries(
  tx: Tx,
  kind: ListKind,
  rule_id: number,
  grantees: readonly Grantee[],
): Promise<void> {
  if (grantees.length === 0) return
  const rows = grantees.map((grantee) => ({ rule_id, ...columnsOf(kind, grantee) }))
  await tx.insertInto(tableOf(kind)).values(rows).execute()
}

/** Changes the grantee of an entry. */
export async function updateEntry(tx: Tx, kind: ListKind, id: number, grantee: Grantee): Promise<void> {
  await tx.updateTable(tableOf(kind)).set(columnsOf(kind, grantee)).where('id', '=', id).execute()
}

export async function deleteEntries(tx: Tx, kind: ListKind, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom(tableOf(kind))
      .where(within(tx, 'id', ids))
      .execute()
}

/** Empties a list of a rule. */
export async function clearList(tx: Tx, kind: ListKind, ruleId: number): Promise<void> {
  await tx.deleteFrom(tableOf(kind)).where('rule_id', '=', ruleId).execute()
}

/**
 * Removes a user, group or deploy key from every list of these rules.
 * @param branchRules sub-query of ids of protected branches
 * @param tagRules sub-query of ids of protected tags
 */
export async function deleteEntriesOf(
  tx: Tx,
  grantee: { column: 'user_id' | 'group_id' | 'deploy_key_id'; id: number },
  branchRules: RawBuilder<unknown>,
  tagRules: RawBuilder<unknown>,
): Promise<void> {
  for (const kind of Object.keys(lists) as ListKind[]) {
    if (grantee.column === 'deploy_key_id' && !lists[kind].keys) continue
    const rules = kind === 'create' ? tagRules : branchRules
    await sql`delete from ${sql.table(lists[kind].table)}
      where ${sql.ref(grantee.column)} = ${grantee.id} and rule_id in (${rules})`.execute(tx)
  }
}
