import { now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import type { Principal } from '../access/principal.ts'
import { clearList, insertEntries } from '../store/entries.ts'
import { deleteRule, lockRule, type RuleOwner, updateRule } from '../store/rules.ts'
import { levelEntry } from './entries.ts'
import { insertRule, isOwn, lockRulesOf, requireChangeable } from './rules.ts'

/** The older form of a rule: each list has one entry, for developers or for maintainers (contract 01, x.branch_protect). */
export type LegacyRule = { developers_can_push?: boolean; developers_can_merge?: boolean }

function levelOf(forDevelopers: boolean | undefined): number | undefined {
  if (forDevelopers === undefined) return undefined
  return forDevelopers ? role.developer : role.maintainer
}

/** Creates the rule with exactly this name, or changes the given lists of it (contract 01, x.branch_protect). */
export async function putLegacyRule(
  platform: Platform,
  owner: RuleOwner,
  principal: Principal,
  { name, ...wanted }: LegacyRule & { name: string },
  act: Act,
): Promise<void> {
  const levels = { push: levelOf(wanted.developers_can_push), merge: levelOf(wanted.developers_can_merge) }
  await platform.database.write(async (tx) => {
    await lockRulesOf(tx, owner)
    await act(tx, name)
    const row = await lockRule(tx, owner, name)
    if (!row || !isOwn(owner, row)) {
      const rule = { name, push_access_level: levels.push, merge_access_level: levels.merge }
      await insertRule(platform, tx, owner, rule)
      return
    }
    await requireChangeable(platform, tx, owner, principal, row)
    for (const kind of ['push', 'merge'] as const) {
      const level = levels[kind]
      if (level === undefined) continue
      await clearList(tx, kind, row.id)
      await insertEntries(tx, kind, row.id, [levelEntry(level)])
    }
    await updateRule(tx, row.id, { updated_at: now(platform.clock) })
  })
}

/** Deletes the rule with exactly this name, if there is one (contract 01, x.branch_unprotect). */
export async function dropLegacyRule(
  platform: Platform,
  owner: RuleOwner,
  principal: Principal,
  name: string,
  act: Act,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await lockRule(tx, owner, name)
    if (!row || !isOwn(owner, row)) return
    await requireChangeable(platform, tx, owner, principal, row)
    await deleteRule(tx, row.id)
    await act(tx, name)
  })
}
