import type { ExportedLines } from '../../../platform/index.ts'
import { exportedUser, usersByIds } from '../../users/index.ts'
import { referencedUsers } from '../core/store.ts'

const rowsAtOnce = 500

/** The users to whom the other relations refer (contract 14). */
export const exportedContributors: ExportedLines = async function* (_platform, db, portable) {
  let ids = await referencedUsers(db, portable, 0, rowsAtOnce)
  for (; ids.length > 0; ids = await referencedUsers(db, portable, ids.at(-1) ?? 0, rowsAtOnce)) {
    const users = await usersByIds(db, ids)
    yield ids.flatMap((id) => {
      const user = users.get(id)
      return user ? [exportedUser(user)] : []
    })
  }
}
