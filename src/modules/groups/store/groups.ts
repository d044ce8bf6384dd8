import { sql } from 'kysely'
import { type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { type NamespaceRow, subtreeOf, type Visibility } from '../../namespaces/index.ts'
import { levelsAbove } from '../visibility.ts'

/** How many levels lie above a group. */
export async function depthOf(db: Reader, id: number): Promise<number> {
  const row = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where('namespace_id', '=', id)
    .executeTakeFirst()
  return row?.depth ?? 0
}

/** How many levels lie below a group. */
export async function heightOf(db: Reader, id: number): Promise<number> {
  const row = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where('ancestor_id', '=', id)
    .executeTakeFirst()
  return row?.depth ?? 0
}

export async function isBelow(db: Reader, id: number, ancestorId: number): Promise<boolean> {
  const query = db
    .selectFrom('namespace_ancestors')
    .select('depth')
    .where('namespace_id', '=', id)
    .where('ancestor_id', '=', ancestorId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Whether a group beside it has the name. */
export async function isNameTaken(db: Reader, parentId: number | null, name: string, exceptId = 0): Promise<boolean> {
  if (parentId === null) return false
  const query = db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', parentId)
    .where((eb) => eb(eb.fn('lower', ['name']), '=', eb.fn('lower', [eb.val(name)])))
    .where('id', '<>', exceptId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Whether something directly in the group is more visible than this. */
export async function hasMoreVisible(
  db: Reader,
  id: number,
  visibility: Visibility,
): Promise<{ subgroups: boolean; projects: boolean }> {
  const above = levelsAbove(visibility)
  if (above.length === 0) return { subgroups: false, projects: false }
  const subgroup = db.selectFrom('namespaces').select('id').where('parent_id', '=', id)
  const project = db.selectFrom('projects').select('id').where('namespace_id', '=', id)
  return {
    subgroups: (await subgroup.where('visibility', 'in', above).limit(1).executeTakeFirst()) !== undefined,
    projects: (await project.where('visibility', 'in', above).limit(1).executeTakeFirst()) !== undefined,
  }
}

/** Lowers whatever in a subtree is more visible than this. */
export async function capVisibility(tx: Tx, id: number, visibility: Visibility): Promise<void> {
  const above = levelsAbove(visibility)
  if (above.length === 0) return
  const below = subtreeOf(id)
  await tx
    .updateTable('namespaces')
    .set({ visibility })
    .where('visibility', 'in', above)
    .where(sql<boolean>`id in ${below}`)
    .execute()
  await tx
    .updateTable('projects')
    .set({ visibility })
    .where('visibility', 'in', above)
    .where(sql<boolean>`namespace_id in ${below}`)
    .execute()
}

/** What a group's repositories take on disk, and the large files beside them. */
export type Sizes = { repositoryBytes: number; wikiBytes: number; lfsBytes: number }

/**
 * Sums what the repositories of groups take: three numbers for each group that has any, in one query for a whole page.
 * @param reach of the group's own projects, or of everything below it as well
 */
export async function sizesOf(db: Reader, ids: readonly number[], reach: 'own' | 'below'): Promise<Map<number, Sizes>> {
  if (ids.length === 0) return new Map()
  const isOwn = reach === 'own' ? sql`and a.depth = 0` : sql``
  const { rows } = await sql<{ id: number; repository: number; wiki: number; lfs: number }>`
    select a.ancestor_id as id,
      sum(case when r.kind = 'project' then r.size_bytes else 0 end) as repository,
      sum(case when r.kind = 'wiki' then r.size_bytes else 0 end) as wiki,
      sum(case when r.kind = 'project' then coalesce((select sum(o.size_bytes) from lfs_objects_projects l
        join lfs_objects o on o.id = l.object_id where l.project_id = p.id), 0) else 0 end) as lfs
    from namespace_ancestors a
    join projects p on p.namespace_id = a.namespace_id join repositories r on r.project_id = p.id
    where ${within(db, 'a.ancestor_id', ids)} ${isOwn} group by a.ancestor_id`.execute(db as never)
  return new Map(
    rows.map(({ id, repository, wiki, lfs }) => [id, { repositoryBytes: repository, wikiBytes: wiki, lfsBytes: lfs }]),
  )
}

/** The ids of the projects of a group and of everything below it. */
export async function projectIdsBelow(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where(sql<boolean>`namespace_id in ${subtreeOf(id)}`)
    .execute()
  return rows.map((row) => row.id)
}

/** Groups that were marked themselves on this day or before, and are still there. */
export async function groupsMarkedUntil(db: Reader, day: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('kind', '=', 'group')
    .where('original_path', 'is not', null)
    .where('marked_for_deletion_on', '<=', day)
    .where('pending_delete', '=', false)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Takes a group and everything below it out of everybody's sight. */
export async function hideBelow(tx: Tx, id: number): Promise<void> {
  const below = subtreeOf(id)
  await sql`update namespaces set pending_delete = true where id in ${below}`.execute(tx)
  await sql`update projects set pending_delete = true where namespace_id in ${below}`.execute(tx)
}

/** A change of a group's columns; settings as JSON text. */
export type GroupChange = Partial<Pick<NamespaceRow, 'visibility' | 'description' | 'avatar'>> & {
  settings?: string
  marked_for_deletion_on?: string | null
  original_path?: string | null
}

export async function updateGroup(tx: Tx, id: number, change: GroupChange, now: string): Promise<NamespaceRow> {
  return tx
    .updateTable('namespaces')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The ids of the groups with a picture in a subtree, the group itself included. */
export async function avatarsBelow(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('avatar', 'is not', null)
    .where(sql<boolean>`id in ${subtreeOf(id)}`)
    .execute()
  return rows.map((row) => row.id)
}

/** The bots of the groups in a subtree, by group. */
export async function botsBelow(db: Reader, id: number): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.namespace_id', 'users.id'])
    .where('users.bot_kind', '=', 'group_bot')
    .where(sql<boolean>`members.namespace_id in ${subtreeOf(id)}`)
    .execute()
  const bots = new Map<number, number[]>()
  for (const { namespace_id: groupId, id: userId } of rows) {
    if (groupId !== null) bots.set(groupId, [...(bots.get(groupId) ?? []), userId])
  }
  return bots
}

/** Groups on their way out; of a subtree only the uppermost. */
export async function leavingGroups(db: Reader, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('namespaces')
    .leftJoin('namespaces as parent', 'parent.id', 'namespaces.parent_id')
    .select('namespaces.id')
    .where('namespaces.pending_delete', '=', true)
    .where((eb) => eb.or([eb('parent.id', 'is', null), eb('parent.pending_delete', '=', false)]))
    .orderBy('namespaces.id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Deletes the row of a group and those of the groups below it. */
export async function deleteGroup(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('namespaces').where('id', '=', id).execute()
}

/** The namespaces with a picture, each with the name of the picture. */
export async function groupsWithAvatar(db: Reader): Promise<{ id: number; avatar: string | null }[]> {
  return db.selectFrom('namespaces').select(['id', 'avatar']).where('avatar', 'is not', null).execute()
}

/** The ids of a group and of those above it, each with the number of levels between. */
export async function ancestorDepths(db: Reader, id: number): Promise<{ ancestor_id: number; depth: number }[]> {
  return db.selectFrom('namespace_ancestors').select(['ancestor_id', 'depth']).where('namespace_id', '=', id).execute()
}
