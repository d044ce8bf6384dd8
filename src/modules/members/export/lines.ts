import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { exportedUser, usersByIds } from '../../users/index.ts'
import { membershipsAfter } from './store.ts'

/**
 * The direct members of a project or group (contract 25, Archive of a project). Each has its user with it, by which an import finds
 * the same person.
 */
export const exportedMembers: ExportedLines = async function* (_platform, db, portable) {
  let rows = await membershipsAfter(db, portable, 0)
  for (; rows.length > 0; rows = await membershipsAfter(db, portable, rows.at(-1)?.id ?? 0)) {
    const users = await usersByIds(
      db,
      rows.map(({ user_id }) => user_id),
    )
    yield rows.flatMap(({ user_id, access_level, expires_at, created_at }): ExportedLine[] => {
      const user = users.get(user_id)
      if (!user) return []
      return [{ user_id, access_level, expires_at, created_at, user: exportedUser(user), invite_email: null }]
    })
  }
}
