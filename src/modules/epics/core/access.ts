import { type Actor, isAdministrator } from '../../../api/index.ts'
import { nested, type Platform, pathNumber } from '../../../platform/index.ts'
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

const byIid = {
  name: 'epic',
  parameter: 'epic_iid',
  read: 'read_epics' as const,
  async find({ database }: Platform, parent: Group, iid: string, actor: Actor): Promise<Epic | null> {
    const row = await epicByIid(database.read, parent.id, pathNumber('epic_iid', iid))
    if (!row || (row.confidential && !maySeeConfidential(actor, parent))) return null
    return { ...row, group: parent }
  },
  parentOf: ({ group: parent }: Epic) => parent,
}

/** The subject of operations whose path names an epic by its iid. */
export const epic = nested(group, byIid)

/** The same for reactions, where a missing one is `404 Epic Not Found` (contract 26 R1). */
export const awardedEpic = nested(group, { ...byIid, noun: 'Epic' })
