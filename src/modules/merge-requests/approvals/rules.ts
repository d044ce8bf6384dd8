import {
  type Actor,
  dayOf,
  notFound,
  type PageRequest,
  pageOfList,
  recordNotFound,
  refuse,
  taken,
} from '../../../api/index.ts'
import { isUniqueViolation, now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { levelsOf, role, usersWithRole } from '../../access/index.ts'
import { isGranted } from '../../namespaces/index.ts'
import type { Project } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, usersByIds, usersByUsernames } from '../../users/index.ts'
import type { ApprovalRuleChanges, NewApprovalRule } from './params.ts'
import type { NamedRule } from './store.ts'
import * as store from './store.ts'

/** Those of these groups that the caller can see. */
async function visibleGroups({ database, clock }: Platform, actor: Actor, ids: readonly number[]) {
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
  const presented = [...visible].map(([id, { name, full_path }]) => ({
    ...{ id, name, full_path, web_url: `${platform.externalUrl}/groups/${full_path}` },
  }))
  return { all: presented, one: (id: number) => presented.find((group) => group.id === id) }
}

/** Users and groups of several rules, loaded in a fixed number of queries, for presenting. */
export async function rulePresenter(platform: Platform, actor: Actor, rules: readonly NamedRule[]) {
  const db = platform.database.read
  const groupIds = [...new Set(rules.flatMap((rule) => rule.groupIds))]
  const members = await store.membersOfGroups(db, groupIds, null, dayOf(platform.clock.now()))
  const eligibleOf = (rule: NamedRule) => [
    ...new Set([...rule.userIds, ...rule.groupIds.flatMap((id) => [...(members.get(id) ?? [])])]),
  ]
  const userIds = [...new Set(rules.flatMap(eligibleOf))]
  const [users, groups, presenting] = await Promise.all([
    usersByIds(db, userIds),
    groupPresenter(platform, actor, groupIds),
    presentingUsers(platform),
  ])
  const shown = (ids: readonly number[]) =>
    ids.flatMap((id) => {
      const user = users.get(id)
      return user ? [presentUserBasic(user, presenting)] : []
    })
  return (rule: NamedRule) => ({
    ...{ id: rule.id, name: rule.name, rule_type: rule.rule_type, report_type: null },
    eligible_approvers: shown(eligibleOf(rule)),
    approvals_required: rule.approvals_required,
    users: shown(rule.userIds),
    groups: rule.groupIds.flatMap((id) => groups.one(id) ?? []),
    contains_hidden_groups: rule.groupIds.some((id) => !groups.one(id)),
    protected_branches: [],
    applies_to_all_protected_branches: false,
  })
}

/** A page of the rules of a project (contract 19, x.approval_rules). */
export async function listRules(platform: Platform, project: Project, actor: Actor, page: PageRequest) {
  const { items, ...rest } = pageOfList(await store.rulesOf(platform.database.read, [project.id]), page)
  const present = await rulePresenter(platform, actor, items)
  return { ...rest, items: items.map(present) }
}

const lowerCased = (names: readonly string[]) => names.map((name) => name.toLowerCase())

/** The users and groups that a request names; users without a role in the project are left out, and groups that the caller cannot see. */
async function namedIn(platform: Platform, project: Project, actor: Actor, given: ApprovalRuleChanges) {
  const { user_ids: ids, usernames, group_ids } = given
  const db = platform.database.read
  const named = usernames ? await usersByUsernames(db, lowerCased(usernames)) : []
  const wanted = ids || usernames ? [...(ids ?? []), ...named.map(({ id }) => id)] : undefined
  const source = { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const
  const today = dayOf(platform.clock.now())
  const members = wanted && (await usersWithRole(db, source, { userIds: wanted, today, least: role.reporter }))
  const groups = group_ids && (await visibleGroups(platform, actor, group_ids))
  return {
    ...(members && { userIds: [...members] }),
    ...(groups && { groupIds: [...groups.keys()] }),
  }
}

function refuseInvalid({ name, approvals_required: required }: ApprovalRuleChanges): void {
  const isOutside = required !== undefined && (required < 0 || required > 100)
  const range = required !== undefined && required < 0 ? 'greater than or equal to 0' : 'less than or equal to 100'
  refuse({
    name: name !== undefined && name.trim() === '' ? ["can't be blank"] : [],
    approvals_required: isOutside ? [`must be ${range}`] : [],
  })
}

/** The error for a rule that exists (contract 19, x.approval_rule_create). */
function asTaken(error: unknown): unknown {
  if (isUniqueViolation(error, 'approval_rules_any_approver_unique')) {
    return catching(() => refuse({ rule_type: ['any-approver for the project already exists'] }))
  }
  return isUniqueViolation(error, 'approval_rules_name_unique') ? catching(() => refuse({ name: [taken] })) : error
}

function catching(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

async function presentRule(platform: Platform, project: Project, actor: Actor, id: number) {
  const rule = (await store.rulesOf(platform.database.read, [project.id])).find((one) => one.id === id)
  if (!rule) throw notFound()
  return (await rulePresenter(platform, actor, [rule]))(rule)
}

/** Adds a rule (contract 19, x.approval_rule_create). @throws ApiError 400 */
export async function createRule(
  platform: Platform,
  project: Project,
  { actor, act }: { actor: Actor; act: Act },
  given: NewApprovalRule,
) {
  refuseInvalid(given)
  const named = await namedIn(platform, project, actor, given)
  const { name, approvals_required, rule_type = 'regular' } = given
  const row = { project_id: project.id, name, approvals_required, rule_type, created_at: now(platform.clock) }
  const id = await platform.database
    .write(async (tx) => {
      const inserted = await store.insertRule(tx, row, named)
      await act(tx, inserted)
      return inserted
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return presentRule(platform, project, actor, id)
}

/** Changes a rule (contract 19, x.approval_rule_update). @throws ApiError 400, 404 */
export async function updateRule(
  platform: Platform,
  project: Project,
  { actor, act }: { actor: Actor; act: Act },
  id: number,
  given: ApprovalRuleChanges,
) {
  refuseInvalid(given)
  const named = await namedIn(platform, project, actor, given)
  const { name, approvals_required } = given
  const changes = {
    ...(name !== undefined && { name }),
    ...(approvals_required !== undefined && { approvals_required }),
  }
  const isThere = await platform.database
    .write(async (tx) => {
      const isChanged = await store.changeRule(tx, project.id, id, changes, named)
      if (isChanged) await act(tx, id)
      return isChanged
    })
    .catch((error) => Promise.reject(asTaken(error)))
  if (!isThere) throw recordNotFound()
  return presentRule(platform, project, actor, id)
}

/** @throws ApiError 404 (contract 19, x.approval_rule_delete) */
export async function deleteRule({ database }: Platform, project: Project, id: number, act: Act): Promise<void> {
  await database.write(async (tx) => {
    if (!(await store.deleteRule(tx, project.id, id))) throw recordNotFound()
    await act(tx, id)
  })
}
