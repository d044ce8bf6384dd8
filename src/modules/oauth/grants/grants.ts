import { type Actor, notFound, type PageRequest, requireSignedIn } from '../../../api/index.ts'
import { claim } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { deleteGrant, grantById, pageOfGrants } from '../authorization/store.ts'

/** A page of what the caller has authorised (contract 20, x.authorized_applications_list). */
export async function listGrants({ database }: Platform, actor: Actor, page: PageRequest) {
  const found = await pageOfGrants(database.read, requireSignedIn(actor).userId, page)
  const items = found.items.map(({ uid, name, ...row }) => ({ ...row, application_id: uid, application_name: name }))
  return { ...found, items }
}

/**
 * Ends what the caller has authorised an application to do, with its codes and tokens (contract 20,
 * x.authorized_applications_delete).
 * @throws ApiError 404 or 412
 */
export async function removeGrant(
  { database }: Platform,
  actor: Actor,
  id: number,
  unmodified: (at: string) => void,
): Promise<void> {
  const { userId } = requireSignedIn(actor)
  await database.write(async (tx) => {
    const grant = await claim(tx, 'oauth_grants', () => grantById(tx, id))
    if (grant?.user_id !== userId) throw notFound('Authorization')
    unmodified(grant.updated_at)
    await deleteGrant(tx, grant.id)
  })
}
