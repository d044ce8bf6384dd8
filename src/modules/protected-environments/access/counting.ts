import type { Reader } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import type { Entries, Grantee } from '../rules/store.ts'
import { groupsOf, levelsIn } from './store.ts'

/** Whether the user or group that an entry names has access to a project or group; a role always counts. */
export type Counting = (grantee: Grantee) => boolean

/** Tells which of these entries count: users with a role in the project or group, and groups that belong to it. In two queries. */
export async function countingIn(
  db: Reader,
  owner: ProjectOrGroupRef,
  grantees: readonly Grantee[],
  today: string,
): Promise<Counting> {
  const ids = (column: 'user_id' | 'group_id') => [...new Set(grantees.flatMap((grantee) => grantee[column] ?? []))]
  const users = await levelsIn(db, owner, ids('user_id'), today)
  const groups = await groupsOf(db, owner, ids('group_id'), today)
  return ({ user_id, group_id }) =>
    (user_id === null || users.has(user_id)) && (group_id === null || groups.has(group_id))
}

/** Whom an approval rule asks in place of one who has lost access: maintainers (contract 24, Protection). */
export const forMaintainers = {
  ...({ access_level: role.maintainer, user_id: null, group_id: null, group_inheritance_type: 0 } as const),
}

/** The entries as they count now: none of one who has lost access, even where it is stored yet (contract 24, Protection). */
export function asTheyCount({ deploy, approval }: Entries, counts: Counting): Entries {
  return {
    deploy: deploy.filter(counts),
    approval: approval.map((rule) => (counts(rule) ? rule : { ...rule, ...forMaintainers })),
  }
}
