import { sql } from 'kysely'
import type { Reader } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'

/** The ids of the projects of a group and of everything below it. */
export async function projectIdsBelow(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where(sql<boolean>`namespace_id in ${subtreeOf(id)}`)
    .execute()
  return rows.map((row) => row.id)
}

/** The ids of the groups with an avatar in a subtree. */
export async function avatarsBelow(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('namespaces')
    .select('id')
    .where('avatar', 'is not', null)
    .where(sql<boolean>`id in ${subtreeOf(id)}`)
    .execute()
  return rows.map((row) => row.id)
}

/** Ids of hidden groups whose parent is not hidden. */
export async function hiddenGroups(db: Reader, limit: number): Promise<number[]> {
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
