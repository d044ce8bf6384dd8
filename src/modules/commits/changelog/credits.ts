import { type Actor, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { usersWithRole } from '../../access/index.ts'
import { canSeeGroup, withLevel } from '../../groups/index.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import type { Project } from '../../projects/index.ts'
import { usersByEmails } from '../../users/index.ts'

/** The author of a commit, as a template sees it. */
export type Author = {
  /** `@name`. */
  reference: string
  /** Whether the author is not a member of the project. */
  contributor: boolean
  /** Whether the author is credited: as a contributor, or as a member of a group in `include_groups`. */
  credit: boolean
}

/**
 * The authors of commits by e-mail address in lower case; those without an account are left out.
 * @param includeGroups full paths; groups that the caller may not see are ignored
 */
export async function authorsOf(
  { database, clock }: Platform,
  project: Project,
  actor: Actor,
  emails: readonly string[],
  includeGroups: readonly string[],
): Promise<Map<string, Author>> {
  const db = database.read
  const today = dayOf(clock.now())
  const valid = emails.filter((email) => email !== '' && !email.includes('\u0000'))
  const users = await usersByEmails(db, valid)
  const userIds = users.map(({ user }) => user.id)
  const scope = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
  const members = await usersWithRole(db, scope, { userIds, today })
  const credited = new Set<number>()
  for (const path of userIds.length > 0 ? new Set(includeGroups) : []) {
    const row = await namespaceByPath(db, path)
    if (row?.kind !== 'group' || row.pending_delete) continue
    if (!canSeeGroup(actor, await withLevel(db, row, actor, today))) continue
    const group = { kind: 'group' as const, id: row.id, namespaceId: row.id }
    for (const id of await usersWithRole(db, group, { userIds, today })) credited.add(id)
  }
  return new Map(
    users.map(({ address, user: { id, username } }) => {
      const contributor = !members.has(id)
      return [address, { reference: `@${username}`, contributor, credit: contributor || credited.has(id) }]
    }),
  )
}
