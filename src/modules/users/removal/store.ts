import type { Reader, Tx } from '../../../infra/database/index.ts'

/** Deletes the identities of a user at other providers. */
export async function deleteIdentitiesOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute()
}

/** Whether a namespace has projects, including those whose removal has begun. */
export async function hasProjects(db: Reader, namespaceId: number): Promise<boolean> {
  const query = db.selectFrom('projects').select('id').where('namespace_id', '=', namespaceId)
  return (await query.executeTakeFirst()) !== undefined
}

/** Deletes the row of a user whose removal has begun. */
export async function deleteRemovedUser(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('users').where('id', '=', id).where('removed_at', 'is not', null).execute()
}
