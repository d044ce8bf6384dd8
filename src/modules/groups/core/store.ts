import { type Reader, within } from '../../../infra/database/index.ts'
import { levelsAbove, type Visibility } from '../../namespaces/index.ts'

/** The number of ancestors of a group, or of levels below it. */
export async function depthOf(db: Reader, id: number, direction: 'above' | 'below' = 'above'): Promise<number> {
  const row = await db
    .selectFrom('namespace_ancestors')
    .select((eb) => eb.fn.max('depth').as('depth'))
    .where(direction === 'above' ? 'namespace_id' : 'ancestor_id', '=', id)
    .executeTakeFirst()
  return row?.depth ?? 0
}

/** Whether a group is another one or lies below it. */
export async function isBelow(db: Reader, id: number, ancestorId: number): Promise<boolean> {
  const query = db.selectFrom('namespace_ancestors').select('depth').where('namespace_id', '=', id)
  return (await query.where('ancestor_id', '=', ancestorId).executeTakeFirst()) !== undefined
}

/** Whether another group with the same parent has the name; groups at the top level may share names. */
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

/** Whether direct subgroups or projects of a group are more visible than this. */
export async function hasMoreVisible(db: Reader, id: number, visibility: Visibility) {
  const above = levelsAbove(visibility)
  if (above.length === 0) return { subgroups: false, projects: false }
  const subgroup = db.selectFrom('namespaces').select('id').where('parent_id', '=', id)
  const project = db.selectFrom('projects').select('id').where('namespace_id', '=', id)
  return {
    subgroups: (await subgroup.where('visibility', 'in', above).limit(1).executeTakeFirst()) !== undefined,
    projects: (await project.where('visibility', 'in', above).limit(1).executeTakeFirst()) !== undefined,
  }
}

/** The groups with an avatar, each with it. */
export async function groupsWithAvatar(
  db: Reader,
  ids?: readonly number[],
): Promise<{ id: number; avatar: string | null }[]> {
  const query = db.selectFrom('namespaces').select(['id', 'avatar']).where('avatar', 'is not', null)
  return (ids ? query.where(within(db, 'id', ids)) : query).execute()
}
