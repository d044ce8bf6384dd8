import { type Actor, isAdministrator } from '../../../api/index.ts'
import { nested, pathNumber } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { type Group, group } from '../../groups/index.ts'
import type { EpicRow } from '../tables.ts'
import { epicByIid } from './store.ts'

/** An epic with its group and the caller's role there. */
export type Epic = EpicRow & { group: Group }

/** Whether the caller may see a confidential epic of a group (contract 17, Roles). */
export function maySeeConfidential(actor: Actor, { level }: Pick<Group, 'level'>): boolean {
  return isAdministrator(actor) || level >= role.planner
}

/** Whether the caller may assign issues to the epics of a group, which has to be visible (contract 17, x.epic_issue_add). */
export function mayAssign(actor: Actor, { level }: Pick<Group, 'level'>): boolean {
  return isAdministrator(actor) || level >= role.guest
}

/** The subject of operations whose path names an epic by its iid. */
export const epic = nested(group, {
  name: 'epic',
  parameter: 'epic_iid',
  read: 'read_epics',
  async find({ database }, parent, iid, actor): Promise<Epic | null> {
    const row = await epicByIid(database.read, parent.id, pathNumber('epic_iid', iid))
    if (!row || (row.confidential && !maySeeConfidential(actor, parent))) return null
    return { ...row, group: parent }
  },
  parentOf: ({ group: parent }) => parent,
})
