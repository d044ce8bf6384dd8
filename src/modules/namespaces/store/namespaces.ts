import { sql, type Updateable } from 'kysely'
import { lockClause, now, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import type { NamespaceRow, NamespacesTable, Visibility } from '../tables.ts'
import { addTotals, subtractTotals } from '../totals/store/totals.ts'
import { claimRoute, findRoute, moveRoutes } from './routes.ts'
import { subtreeOf } from './subtree.ts'

export type NewNamespace = {
  kind: 'user' | 'group'
  name: string
  path: string
  parent: Pick<NamespaceRow, 'id' | 'full_path' | 'full_name'> | null
  ownerId: number | null
  visibility: Visibility
  description?: string
  settings?: Record<string, unknown>
  now: string
}

/**
 * Inserts a namespace with its ancestors and its route.
 * @throws UniqueViolation when the path is taken, or a sibling has the name
 */
export async function insertNamespace(tx: Tx, namespace: NewNamespace): Promise<NamespaceRow> {
  const { parent, now } = namespace
  const row = await tx
    .insertInto('namespaces')
    .values({
      kind: namespace.kind,
      name: namespace.name,
      path: namespace.path,
      full_path: parent ? `${parent.full_path}/${namespace.path}` : namespace.path,
      full_name: parent ? `${parent.full_name} / ${namespace.name}` : namespace.name,
      parent_id: parent?.id ?? null,
      owner_id: namespace.ownerId,
      visibility: namespace.visibility,
      description: namespace.description ?? '',
      settings: JSON.stringify(namespace.settings ?? {}),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await claimRoute(tx, row.full_path, { namespaceId: row.id })
  await linkAncestors(tx, row.id, parent?.id ?? null)
  return row
}

async function linkAncestors(tx: Tx, id: number, parentId: number | null): Promise<void> {
  await tx.insertInto('namespace_ancestors').values({ namespace_id: id, ancestor_id: id, depth: 0 }).execute()
  if (parentId === null) return
  await tx
    .insertInto('namespace_ancestors')
    .columns(['namespace_id', 'ancestor_id', 'depth'])
    .expression((eb) =>
      eb
        .selectFrom('namespace_ancestors')
        .select([
          sql<number>`cast(${id} as bigint)`.as('namespace_id'),
          'ancestor_id',
          sql<number>`depth + 1`.as('depth'),
        ])
        .where('namespace_id', '=', parentId),
    )
    .execute()
}

/** @param changes `settings` as JSON text */
export async function updateNamespace(
  tx: Tx,
  id: number,
  changes: Updateable<NamespacesTable>,
  updated_at: string,
): Promise<NamespaceRow> {
  const query = tx.updateTable('namespaces').set({ ...changes, updated_at })
  return query.where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Deletes a namespace and those below it. */
export async function deleteNamespace(tx: Tx, id: number): Promise<void> {
  await subtractTotals(tx, id)
  await tx.deleteFrom('namespaces').where('id', '=', id).execute()
}

export async function namespaceById(db: Reader, id: number): Promise<NamespaceRow | null> {
  if (!Number.isSafeInteger(id)) return null
  return (await db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The namespace at a full path, case-insensitive; redirects do not count. */
export async function namespaceByPath(db: Reader, fullPath: string): Promise<NamespaceRow | null> {
  const route = await findRoute(db, fullPath)
  return route?.namespaceId && !route.redirect ? namespaceById(db, route.namespaceId) : null
}

/** The personal namespace of a user. */
export async function namespaceOfUser(db: Reader, userId: number): Promise<NamespaceRow | null> {
  const query = db.selectFrom('namespaces').selectAll().where('kind', '=', 'user').where('owner_id', '=', userId)
  return (await query.executeTakeFirst()) ?? null
}

/** The namespace and its ancestors, the nearest first. */
export async function ancestorsOf(db: Reader, id: number): Promise<NamespaceRow[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('namespace_ancestors', 'namespace_ancestors.ancestor_id', 'namespaces.id')
    .selectAll('namespaces')
    .where('namespace_ancestors.namespace_id', '=', id)
    .orderBy('namespace_ancestors.depth')
    .execute()
}

/** For each of these namespaces the ids of its ancestors and of itself, the root first. */
export async function lineagesOf(db: Reader, ids: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('namespace_ancestors')
    .select(['namespace_id', 'ancestor_id'])
    .where(within(db, 'namespace_ancestors.namespace_id', [...new Set(ids)]))
    .orderBy('depth', 'desc')
    .execute()
  const lineages = new Map<number, number[]>()
  for (const { namespace_id: id, ancestor_id } of rows) {
    const lineage = lineages.get(id)
    if (lineage) lineage.push(ancestor_id)
    else lineages.set(id, [ancestor_id])
  }
  return lineages
}

/** Replaces the prefix of the full paths and full names of everything below. */
async function rewriteBelow(
  tx: Tx,
  before: NamespaceRow,
  after: { full_path: string; full_name: string },
): Promise<void> {
  // The engines count characters where JavaScript counts UTF-16 units.
  const tail = (column: string, old: string) => sql`substr(${sql.ref(column)}, ${sql.lit([...old].length + 1)})`
  const fullPath = sql<string>`cast(${after.full_path} as text) || ${tail('full_path', before.full_path)}`
  const fullName = sql<string>`cast(${after.full_name} as text) || ${tail('full_name', before.full_name)}`
  await sql`update namespaces set full_path = ${fullPath}, full_name = ${fullName}
    where id in ${subtreeOf(before.id)} and id <> ${before.id}`.execute(tx)
}

/**
 * Locks a whole tree until the transaction ends. Every change of a tree's shape, visibility or marks takes this lock
 * first. SQLite has one writer and needs none.
 * @returns the namespace as it is under the lock, or null when it was deleted
 */
export async function holdTree(tx: Tx, id: number): Promise<NamespaceRow | null> {
  await sql`select id from namespaces where parent_id is null
    and id in (select ancestor_id from namespace_ancestors where namespace_id = ${id})
    ${lockClause(tx, 'no key update')}`.execute(tx)
  return namespaceById(tx, id)
}

/**
 * Renames a namespace or moves it below another parent, with everything below it; the old paths redirect (contract 21 R5).
 * @throws UniqueViolation when the new path or name is taken
 */
export async function moveNamespace(
  platform: Platform,
  tx: Tx,
  before: NamespaceRow,
  { name, path, parent }: Pick<NewNamespace, 'name' | 'path' | 'parent'>,
): Promise<NamespaceRow> {
  const full_path = parent ? `${parent.full_path}/${path}` : path
  const full_name = parent ? `${parent.full_name} / ${name}` : name
  const parent_id = parent?.id ?? null
  await moveRoutes(tx, before.full_path, full_path)
  const row = await tx
    .updateTable('namespaces')
    .set({ name, path, full_path, full_name, parent_id, updated_at: now(platform.clock) })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await rewriteBelow(tx, before, row)
  if (parent_id !== before.parent_id) await relink(tx, row.id, parent_id)
  await react(platform, tx, 'namespace.moved', { namespaceId: row.id, formerPath: before.full_path })
  return row
}

/** Replaces the ancestors of a subtree. */
async function relink(tx: Tx, id: number, parentId: number | null): Promise<void> {
  await subtractTotals(tx, id)
  const subtree = tx.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', id)
  const above = tx
    .selectFrom('namespace_ancestors')
    .select('ancestor_id')
    .where('namespace_id', '=', id)
    .where('depth', '>', 0)
  await tx
    .deleteFrom('namespace_ancestors')
    .where('namespace_id', 'in', subtree)
    .where('ancestor_id', 'in', above)
    .execute()
  if (parentId === null) return
  await sql`
    insert into namespace_ancestors (namespace_id, ancestor_id, depth)
    select below.namespace_id, above.ancestor_id, below.depth + above.depth + 1
    from namespace_ancestors below cross join namespace_ancestors above
    where below.ancestor_id = ${id} and above.namespace_id = ${parentId}`.execute(tx)
  await addTotals(tx, id)
}
