import { dayOf } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role, usersWithRole } from '../../access/index.ts'
import { canUseFeature, outsider, type ProjectRow } from '../../projects/index.ts'
import { actingUser, usersByIds } from '../../users/index.ts'

/** Those of these users who can read the merge requests of a project, in their order. */
export async function readersAmong(
  platform: Platform,
  db: Reader,
  project: ProjectRow,
  userIds: readonly number[],
): Promise<number[]> {
  const wanted = [...new Set(userIds)]
  if (wanted.length === 0) return []
  const source = { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const
  const today = dayOf(platform.clock.now())
  const [users, members] = await Promise.all([
    usersByIds(db, wanted),
    usersWithRole(db, source, { userIds: wanted, today, least: role.reporter }),
  ])
  const outside = { ...project, role: outsider }
  return wanted.filter((id) => {
    const user = users.get(id)
    if (!user || user.removed_at !== null) return false
    if (members.has(id) || user.is_admin) return true
    const actor = actingUser(platform, user)
    const isOpen = project.visibility === 'public' || (project.visibility === 'internal' && !user.external)
    return isOpen && (['repository', 'merge_requests'] as const).every((name) => canUseFeature(actor, outside, name))
  })
}
