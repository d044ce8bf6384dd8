import { byPosition } from '../reading/lists.ts'
import { named } from '../reading/operations.ts'
import type { Arguments, Listing, Reading } from '../reading/types.ts'
import type { MemberSource, UserSource } from './users.ts'

/**
 * The members of a project or group: those of itself when only `DIRECT` is asked for, else all users with a role in it, each with
 * the highest one.
 */
export function membersOf(parent: MemberSource['parent'], { relations, search }: Arguments, reading: Reading): Listing {
  const isDirect = relations?.length > 0 && relations.every((relation: string) => relation === 'DIRECT')
  const operation = named(`${parent.kind}_members.${isDirect ? 'list' : 'all'}`)
  const { pages } = byPosition(reading, operation, { id: parent.id, query: search })
  return {
    async pages(page, perPage) {
      const found = await pages(page, perPage)
      const items = (found.items as (UserSource & Omit<MemberSource, 'user' | 'parent'>)[]).map(
        ({ access_level, created_at, expires_at, ...user }): MemberSource => {
          return { parent, user, access_level, created_at, expires_at }
        },
      )
      return { ...found, items }
    },
  }
}
