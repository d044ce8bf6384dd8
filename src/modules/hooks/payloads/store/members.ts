import type { Reader } from '../../../../infra/database/index.ts'
import { type MemberRow, role } from '../../../access/index.ts'

/** Owners of a group that are shown. */
const mostOwners = 20

/** The ids of the owners of a group. */
export async function ownersOfGroup(db: Reader, groupId: number): Promise<number[]> {
  const query = db.selectFrom('members').select('user_id').where('namespace_id', '=', groupId)
  const rows = await query.where('access_level', '=', role.owner).orderBy('id').limit(mostOwners).execute()
  return rows.map(({ user_id }) => user_id)
}

/** A membership by its id. */
export async function memberById(db: Reader, id: number): Promise<MemberRow | null> {
  return (await db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The membership of a user in a group or project itself. */
export async function membershipOf(
  db: Reader,
  { kind, id }: { kind: 'project' | 'group'; id: number },
  userId: number,
): Promise<MemberRow | null> {
  const query = db.selectFrom('members').selectAll().where('user_id', '=', userId)
  return (await query.where(kind === 'project' ? 'project_id' : 'namespace_id', '=', id).executeTakeFirst()) ?? null
}
