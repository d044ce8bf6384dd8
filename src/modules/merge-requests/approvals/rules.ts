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
import { presentGroups } from '../../groups/index.ts'
import { isGranted } from '../../namespaces/index.ts'
import type { Project, ProjectRow } from '../../projects/index.ts'
import { presentedRules, ruleOwnerOf, rulesFor } from '../../protected-branches/index.ts'
import { presentingUsers, presentUserBasic, usersByIds, usersByUsernames } from '../../users/index.ts'
import type { ReportType } from '../tables.ts'
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
  const presented = await presentGroups(platform, actor, [...visible.values()], {})
  return { all: presented, one: (id: number) => presented.find((group) => group.id === id) }
}

/** The protected branches that rules are for, as they are shown; those that are not protected now are left out. */
async function branchPresenter(platform: Platform, project: ProjectRow, rules: readonly NamedRule[]) {
  const names = [...new Set(rules.flatMap(({ branches }) => branches))]
  const needsAll = rules.some((rule) => rule.applies_to_all_protected_branches)
  const isNeeded = needsAll || names.length > 0
  const shown = isNeeded ? await presentedRules(platform, ruleOwnerOf(project), needsAll ? undefined : names) : []
  return ({ branches, applies_to_all_protected_branches: all }: NamedRule) =>
    all ? shown : shown.filter(({ name }) => branches.includes(name))
}

/** The names of protected branches of a project. @throws ApiError 400 for an id of none */
async function branchesNamed({ database }: Platform, project: Project, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const byId = new Map((await rulesFor(database.read, ruleOwnerOf(project))).map(({ id, name }) => [id, name]))
  const problem = 'all protected branches must exist within the project'
  refuse({ protected_branches: ids.every((id) => byId.has(id)) ? [] : [problem] })
  return [...new Set(ids.flatMap((id) => byId.get(id) ?? []))]
}

/** Users and groups of several rules, loaded in a fixed number of queries, for presenting. */
export async function rulePresenter(
  platform: Platform,
  project: ProjectRow,
  actor: Actor,
  rules: readonly NamedRule[],
) {
  const db = platform.database.read
  const groupIds = [...new Set(rules.flatMap((rule) => rule.groupIds))]
  const members = await store.membersOfGroups(db, groupIds, null, dayOf(platform.clock.now()))
  const eligibleOf = (rule: NamedRule) => [
    ...new Set([...rule.userIds, ...rule.groupIds.flatMap((id) => [...(members.get(id) ?? [])])]),
  ]
  const userIds = [...new Set(rules.flatMap(eligibleOf))]
  const [users, groups, presenting, branchesOf] = await Promise.all([
    usersByIds(db, userIds),
    groupPresenter(platform, actor, groupIds),
    presentingUsers(platform),
    branchPresenter(platform, project, rules),
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

/** A page of the rules of a project (contract 19, x.approval_rules). */
export async function listRules(platform: Platform, project: Project, actor: Actor, page: PageRequest) {
  const { items, ...rest } = pageOfList(await store.rulesOf(platform.database.read, [project.id]), page)
  const present = await rulePresenter(platform, project, actor, items)
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
  const branches = given.protected_branch_ids && (await branchesNamed(platform, project, given.protected_branch_ids))
  return {
    ...(branches && { branches }),
    ...(members && { userIds: [...members] }),
    ...(groups && { groupIds: [...groups.keys()] }),
  }
}

function countProblems(required: number): string[] {
  if (required < 0) return ['must be greater than or equal to 0']
  return required > 100 ? ['must be less than or equal to 100'] : []
}

function refuseInvalid({ name, approvals_required: required }: ApprovalRuleChanges): void {
  refuse({
    name: name !== undefined && name.trim() === '' ? ["can't be blank"] : [],
    approvals_required: required === undefined ? [] : countProblems(required),
  })
}

/** The error for a rule that exists (contract 19, x.approval_rule_create). */
function asTaken(error: unknown): unknown {
  if (isUniqueViolation(error, 'approval_rules_any_approver_unique')) {
    return catching(() => refuse({ rule_type: ['any-approver for the project already exists'] }))
  }
  if (isUniqueViolation(error, 'approval_rules_report_type_unique')) {
    return catching(() => refuse({ report_type: [taken] }))
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
  return (await rulePresenter(platform, project, actor, [rule]))(rule)
}

/** Names that make a rule one of a report when no type is given (contract 19, x.approval_rule_create). */
const reportsByName: Record<string, ReportType> = {
  'Coverage-Check': 'code_coverage',
  'License-Check': 'license_scanning',
}

/** The type of a new rule as it is stored. @throws ApiError 400 for a rule of a report that names none */
function kindOf({ name, rule_type, report_type }: NewApprovalRule) {
  const named = Object.hasOwn(reportsByName, name) ? reportsByName[name] : undefined
  const type = rule_type ?? (named ? 'report_approver' : 'regular')
  if (type !== 'report_approver') return { rule_type: type, report_type: null }
  const report = report_type ?? named
  refuse({ report_type: report ? [] : ["can't be blank"] })
  return { rule_type: 'regular' as const, report_type: report ?? null }
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
  const { name, approvals_required } = given
  const row = {
    ...{ project_id: project.id, name, approvals_required, ...kindOf(given), created_at: now(platform.clock) },
    applies_to_all_protected_branches: given.applies_to_all_protected_branches ?? false,
  }
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
  const { name, approvals_required, applies_to_all_protected_branches } = given
  const changes = {
    ...(name !== undefined && { name }),
    ...(approvals_required !== undefined && { approvals_required }),
    ...(applies_to_all_protected_branches !== undefined && { applies_to_all_protected_branches }),
  }
  await platform.database
    .write(async (tx) => {
      if (!(await store.changeRule(tx, project.id, id, changes, named))) throw recordNotFound()
      await act(tx, id)
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return presentRule(platform, project, actor, id)
}

/** @throws ApiError 404 (contract 19, x.approval_rule_delete) */
export async function deleteRule({ database }: Platform, project: Project, id: number, act: Act): Promise<void> {
  await database.write(async (tx) => {
    if (!(await store.deleteRule(tx, project.id, id))) throw recordNotFound()
    await act(tx, id)
  })
}
