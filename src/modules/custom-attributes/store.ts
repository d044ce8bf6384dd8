import { type RawBuilder, sql } from 'kysely'
import {
  type Filter,
  fewBeside,
  type ListContext,
  type Reader,
  semiJoin,
  type Tx,
  within,
} from '../../infra/database/index.ts'
import { valuesByKey } from '../../infra/grouping/index.ts'
import type { CustomAttributeRow } from './tables.ts'

/** What has custom attributes. */
export type OwnerKind = 'user' | 'group' | 'project'

/** Where attributes of a kind of owner are, and the owners themselves. */
const owners = {
  user: { column: 'user_id', table: 'users' },
  group: { column: 'namespace_id', table: 'namespaces' },
  project: { column: 'project_id', table: 'projects' },
} as const

/** A user, a group or a project. */
export type Owner = { kind: OwnerKind; id: number }

/** A custom attribute as it is shown. */
export type Attribute = { key: string; value: string }

/** The attributes of an owner, in the order in which they were made. */
export async function attributesOf(db: Reader, { kind, id }: Owner): Promise<CustomAttributeRow[]> {
  const query = db.selectFrom('custom_attributes').selectAll().where(owners[kind].column, '=', id)
  return query.orderBy('id').execute()
}

export async function attributeOf(db: Reader, { kind, id }: Owner, key: string): Promise<CustomAttributeRow | null> {
  const query = db.selectFrom('custom_attributes').selectAll().where(owners[kind].column, '=', id)
  return (await query.where('key', '=', key).executeTakeFirst()) ?? null
}

/** Creates or replaces an attribute. */
export async function putAttribute(tx: Tx, { kind, id }: Owner, { key, value }: Attribute, at: string): Promise<void> {
  const { column } = owners[kind]
  await tx
    .insertInto('custom_attributes')
    .values({ [column]: id, key, value, created_at: at, updated_at: at } as never)
    .onConflict((conflict) =>
      conflict.columns([column, 'key']).where(column, 'is not', null).doUpdateSet({ value, updated_at: at }),
    )
    .execute()
}

/** @returns false when there is no such attribute */
export async function deleteAttribute(tx: Tx, { kind, id }: Owner, key: string): Promise<boolean> {
  const query = tx.deleteFrom('custom_attributes').where(owners[kind].column, '=', id).where('key', '=', key)
  return (await query.returning('id').executeTakeFirst()) !== undefined
}

/** The attributes of several owners of one kind, by id of the owner. */
export async function attributesOfAll(
  db: Reader,
  kind: OwnerKind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Attribute[]>> {
  if (ids.length === 0) return new Map()
  const { column } = owners[kind]
  const rows = await db
    .selectFrom('custom_attributes')
    .select([`${column} as owner_id`, 'key', 'value'])
    .where(within(db, `custom_attributes.${column}`, ids))
    .orderBy('id')
    .execute()
  return valuesByKey(
    rows,
    ({ owner_id }) => owner_id as number,
    ({ key, value }) => ({ key, value }),
  )
}

/**
 * The rows of the owners of a kind with an attribute: the text after `from`. An index finds them by the first characters of the value on
 * PostgreSQL, whose entries are limited.
 */
function rowsWith(kind: OwnerKind, { key, value }: Attribute, name: 'a' | 'found'): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${name}.${column}`)
  return sql`custom_attributes ${sql.ref(name)} where ${of('key')} = ${key} and ${of('value')} = ${value}
    and substr(${of('value')}, 1, 100) = substr(cast(${value} as text), 1, 100) and ${of(owners[kind].column)} is not null`
}

/**
 * Whether rows of `users`, `namespaces` or `projects` have all of these attributes.
 * @param wanted values by key
 * @param areCommon whether many have each of them (`areCommon`): rows are read in another order then, and tested
 */
export function haveAttributes(
  kind: OwnerKind,
  wanted: Readonly<Record<string, string>>,
  areCommon = false,
): RawBuilder<boolean>[] {
  const { column, table } = owners[kind]
  // In an expression the engines test each row by the set, and do not look up each of the set.
  const use = sql.raw(areCommon ? 'is true' : '')
  return Object.entries(wanted).map(
    ([key, value]) => sql<boolean>`(${sql.ref(`${table}.id`)} in (
      select ${sql.ref(`a.${column}`)} from ${rowsWith(kind, { key, value }, 'a')})) ${use}`,
  )
}

/** So many rows of owners are tested while one is looked up. */
const rowsPerOwner = 64

/** Whether each of these attributes has so many owners, beside all rows of their table, that these are tested by it. False for none. */
export async function areCommon(
  db: Reader,
  kind: OwnerKind,
  wanted: Readonly<Record<string, string>>,
): Promise<boolean> {
  const most = fewBeside(owners[kind].table, rowsPerOwner)
  const exceed = Object.entries(wanted).map(
    ([key, value]) => sql`exists (select 1 from ${rowsWith(kind, { key, value }, 'a')} limit 1 offset ${most})`,
  )
  if (exceed.length === 0) return false
  const found = await sql`select 1 where ${sql.join(exceed, sql` and `)}`.execute(db as never)
  return found.rows.length > 0
}

/** The filter of a list: rows of `users`, `namespaces` or `projects` that have all of these attributes, by their keys. */
export const withAllAttributes =
  (kind: OwnerKind): Filter<ListContext, Readonly<Record<string, string>>> =>
  (context, wanted) =>
    Object.entries(wanted).map(([key, value]) =>
      semiJoin(context, rowsWith(kind, { key, value }, 'found'), owners[kind].column),
    )
