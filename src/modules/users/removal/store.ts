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

/** Ids of the people above an id who were made before a time, and have neither confirmed their address nor signed in. */
export async function unconfirmedUsers(db: Reader, before: string, afterId: number, limit: number): Promise<number[]> {
  const unconfirmed = db
    .selectFrom('users')
    .select('id')
    .where('confirmed_at', 'is', null)
    .where('bot_kind', 'is', null)
  const found = await unconfirmed
    .where('state', '=', 'active')
    .where('is_admin', '=', false)
    .where('sign_in_count', '=', 0)
    .where('removed_at', 'is', null)
    .where('created_at', '<', before)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return found.map(({ id }) => id)
}
