import { type Actor, dayOf } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { levelsOf, role } from '../../access/index.ts'
import { presentGroups } from '../../groups/index.ts'
import { isGranted } from '../../namespaces/index.ts'
import { presentedRules, type ruleOwnerOf } from '../../protected-branches/index.ts'
import { presentingUsers, presentUserBasic, usersByIds } from '../../users/index.ts'
import type { NamedRule } from '../approvals/store.ts'
import * as store from '../approvals/store.ts'

/** The project or group whose protected branches rules name. */
type RuleOwner = ReturnType<typeof ruleOwnerOf>

/** Those of these groups that the caller can see. */
export async function visibleGroups({ database, clock }: Platform, actor: Actor, ids: readonly number[]) {
  const db = database.read
  const today = dayOf(clock.now())
  const levelsIn = async () =>
    actor.kind === 'user' ? levelsOf(db, { userId: actor.userId, today }, ids) : new Map<number, number>()
  const [groups, levels] = await Promise.all([store.groupsByIds(db, ids), levelsIn()])
  const rule = { role: role.guest, visible: 'public' } as const
  return new Map([...groups].filter(([id, group]) => isGranted(actor, group, levels.get(id) ?? 0, rule)))
}

/** Those of these groups that the caller can see, as they are shown: all, or one by its id. */
export async function groupPresenter(platform: Platform, actor: Actor, ids: readonly number[]) {
  const visible = await visibleGroups(platform, actor, [...new Set(ids)])
  const presented = await presentGroups(platform, actor, [...visible.values()], {})
  return { all: presented, one: (id: number) => presented.find((group) => group.id === id) }
}

/** The protected branches that rules are for, as they are shown; those that are not protected now are left out. */
async function branchPresenter(platform: Platform, owner: RuleOwner, rules: readonly NamedRule[]) {
  const names = [...new Set(rules.flatMap(({ branches }) => branches))]
  const needsAll = rules.some((rule) => rule.applies_to_all_protected_branches)
  const isNeeded = needsAll || names.length > 0
  const shown = isNeeded ? await presentedRules(platform, owner, needsAll ? undefined : names) : []
  return ({ branches, applies_to_all_protected_branches: all }: NamedRule) =>
    all ? shown : shown.filter(({ name }) => branches.includes(name))
}

/**
 * Users and groups of several rules, loaded in a fixed number of queries, for presenting.
 * @param owner whose protected branches are shown
 * @param hidesMembers of groups that the caller cannot see
 */
export async function rulePresenter(
  platform: Platform,
  owner: RuleOwner,
  actor: Actor,
  rules: readonly NamedRule[],
  { hidesMembers = false }: { hidesMembers?: boolean } = {},
) {
  const db = platform.database.read
  const groupIds = [...new Set(rules.flatMap((rule) => rule.groupIds))]
  const groups = await groupPresenter(platform, actor, groupIds)
  const shownIds = hidesMembers ? groups.all.map(({ id }) => id) : groupIds
  const members = await store.membersOfGroups(db, shownIds, null, dayOf(platform.clock.now()))
  const eligibleOf = (rule: NamedRule) => [
    ...new Set([...rule.userIds, ...rule.groupIds.flatMap((id) => [...(members.get(id) ?? [])])]),
  ]
  const userIds = [...new Set(rules.flatMap(eligibleOf))]
  const [users, presenting, branchesOf] = await Promise.all([
    usersByIds(db, userIds),
    presentingUsers(platform),
    branchPresenter(platform, owner, rules),
  ])
  const shown = (ids: readonly number[]) =>
    ids.flatMap((id) => {
      const user = users.get(id)
      return user ? [presentUserBasic(user, presenting)] : []
    })
  return (rule: NamedRule) => ({
    ...{ id: rule.id, name: rule.name, rule_type: rule.rule_type, report_type: rule.report_type },
    eligible_approvers: shown(eligibleOf(rule)),
    approvals_required: rule.approvals_required,
    users: shown(rule.userIds),
    groups: rule.groupIds.flatMap((id) => groups.one(id) ?? []),
    contains_hidden_groups: rule.groupIds.some((id) => !groups.one(id)),
    protected_branches: branchesOf(rule),
    applies_to_all_protected_branches: rule.applies_to_all_protected_branches,
  })
}
