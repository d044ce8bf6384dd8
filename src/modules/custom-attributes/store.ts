import { type RawBuilder, sql } from 'kysely'
import {
  type Filter,
  type ListContext,
  type Reader,
  rows,
  semiJoin,
  type Tx,
  within,
} from '../../infra/database/index.ts'
import { valuesByKey } from '../../infra/grouping/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { type CustomAttributeRow, customAttributes } from './tables.ts'

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
function rowsWith(kind: OwnerKind, { key, value }: Attribute): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`found.${column}`)
  return sql`custom_attributes found where ${of('key')} = ${key} and ${of('value')} = ${value}
    and substr(${of('value')}, 1, 100) = substr(cast(${value} as text), 1, 100) and ${of(owners[kind].column)} is not null`
}

/** The filter of a list: rows of `users`, `namespaces` or `projects` that have all of these attributes, by their keys. */
export const withAllAttributes =
  (kind: OwnerKind): Filter<ListContext, Readonly<Record<string, string>>> =>
  (context, wanted) =>
    Object.entries(wanted).map(([key, value]) => semiJoin(context, rowsWith(kind, { key, value }), owners[kind].column))

/** The custom attributes of a project (contract 14). */
export const exportedCustomAttributes: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const some of rows(customAttributes).portions(db, { project_id: projectId }, 500)) {
    yield some.map(({ key, value, created_at, updated_at, project_id }) => ({
      ...{ key, value, project_id, created_at, updated_at },
    }))
  }
}
