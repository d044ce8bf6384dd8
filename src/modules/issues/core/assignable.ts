import { dayOf } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { usersWithRole } from '../../access/index.ts'
import { assigneeIdsIn, namedReaders } from '../../issuables/index.ts'
import { type ProjectRow, settingOf } from '../../projects/index.ts'
import { usersByIds } from '../../users/index.ts'

/** Those of these users who can read the issues of a project that are not confidential, in their order. */
export async function readersAmong(
  { clock }: Pick<Platform, 'clock'>,
  db: Reader,
  project: ProjectRow,
  userIds: readonly number[],
): Promise<number[]> {
  const wanted = [...new Set(userIds)]
  if (wanted.length === 0) return []
  const { id, namespace_id: namespaceId } = project
  const [users, members] = await Promise.all([
    usersByIds(db, wanted),
    usersWithRole(db, { kind: 'project', id, namespaceId }, { userIds: wanted, today: dayOf(clock.now()) }),
  ])
  const feature = settingOf(project, 'issues_access_level')
  const isOpen = (external: boolean) =>
    project.visibility === 'public' || (project.visibility === 'internal' && !external)
  return wanted.filter((userId) => {
    const user = users.get(userId)
    if (!user || user.removed_at !== null || feature === 'disabled') return false
    return members.has(userId) || user.is_admin || (feature === 'enabled' && isOpen(user.external))
  })
}

/** The users that a request assigns; 0 stands for none (contract 16, x.issue_create). */
export function assigneesIn(
  platform: Platform,
  project: ProjectRow,
  given: { assignee_ids?: readonly number[]; assignee_id?: number | null },
): Promise<number[] | undefined> {
  const { read } = platform.database
  return namedReaders(assigneeIdsIn(given), (ids) => readersAmong(platform, read, project, ids))
}
