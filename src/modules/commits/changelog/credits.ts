import { type Actor, dayOf } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { usersWithRole } from '../../access/index.ts'
import { canSeeGroup, withLevel } from '../../groups/index.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import type { Project } from '../../projects/index.ts'
import { usersByEmails } from '../../users/index.ts'

/** Who wrote a commit, as a template sees them. */
export type Author = {
  /** `@name`. */
  reference: string
  /** No member of the project. */
  contributor: boolean
  /** Whether they are to be named: as a contributor, or as a member of a group that the project names for it. */
  credit: boolean
}

export type CreditNeeds = { database: Database; clock: Clock }

/**
 * The authors of commits by their e-mail addresses, in lower case; those who have no account are missing.
 * @param includeGroups full paths; one that the actor does not see credits nobody
 */
export async function authorsOf(
  { database, clock }: CreditNeeds,
  project: Project,
  actor: Actor,
  emails: readonly string[],
  includeGroups: readonly string[],
): Promise<Map<string, Author>> {
  const db = database.read
  const today = dayOf(clock.now())
  const users = await usersByEmails(
    db,
    emails.filter((email) => email !== '' && !email.includes('\u0000')),
  )
  const userIds = users.map(({ id }) => id)
  const place = { kind: 'project' as const, id: project.id, namespaceId: project.namespace_id }
  const members = await usersWithRole(db, place, { userIds, today })
  const credited = new Set<number>()
  for (const path of userIds.length > 0 ? new Set(includeGroups) : []) {
    const row = await namespaceByPath(db, path)
    if (row?.kind !== 'group' || row.pending_delete) continue
    if (!canSeeGroup(actor, await withLevel(db, row, actor, today))) continue
    const group = { kind: 'group' as const, id: row.id, namespaceId: row.id }
    for (const id of await usersWithRole(db, group, { userIds, today })) credited.add(id)
  }
  return new Map(
    users.map(({ id, email, username }) => {
      const contributor = !members.has(id)
      return [email.toLowerCase(), { reference: `@${username}`, contributor, credit: contributor || credited.has(id) }]
    }),
  )
}
