import type { PageRequest } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Group } from '../../groups/index.ts'
import { presentingUsers, presentUserBasic } from '../../users/index.ts'
import type { GroupUserFilter } from './params.ts'
import { pageOfGroupUsers } from './store.ts'

/** The members with a SAML identity and the service accounts of a top-level group (contract 21, x.groups_users). */
export async function listGroupUsers(platform: Platform, group: Group, filter: GroupUserFilter, page: PageRequest) {
  const found = await pageOfGroupUsers(platform.database.read, group.id, filter, page)
  const presenting = await presentingUsers(platform)
  return { ...found, items: found.items.map((user) => presentUserBasic(user, presenting)) }
}
