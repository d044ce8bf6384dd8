import { type Actor, dayOf, invalid, refuse, taken } from '../../../api/index.ts'
import { isUniqueViolation } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type MemberSource, role, usersWithRole } from '../../access/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { ruleOwnerOf, rulesFor } from '../../protected-branches/index.ts'
import { usersByUsernames } from '../../users/index.ts'
import type { ReportType, RuleType } from '../tables.ts'
import { visibleGroups } from './presenting.ts'

/** The names of protected branches of a project. @throws ApiError 400 for an id of none */
async function branchesNamed(
  { database }: Platform,
  project: Pick<ProjectRow, 'id' | 'namespace_id'>,
  ids: readonly number[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const byId = new Map((await rulesFor(database.read, ruleOwnerOf(project))).map(({ id, name }) => [id, name]))
  const problem = 'all protected branches must exist within the project'
  refuse({ protected_branches: ids.every((id) => byId.has(id)) ? [] : [problem] })
  return [...new Set(ids.flatMap((id) => byId.get(id) ?? []))]
}

const lowerCased = (names: readonly string[]) => names.map((name) => name.toLowerCase())

/** What rules of all kinds name in a request. */
type GivenRule = {
  name?: string
  approvals_required?: number
  user_ids?: readonly number[]
  users?: readonly number[]
  usernames?: readonly string[]
  group_ids?: readonly number[]
  groups?: readonly number[]
  protected_branch_ids?: readonly number[]
  remove_hidden_groups?: boolean
}

/** The names that a rule stores; those that are absent stay as they are. */
type Names = { userIds?: number[]; groupIds?: number[]; branches?: string[] }

/**
 * The users and groups that a request names; users without a role in the project or group are left out, and groups that the caller
 * cannot see.
 * @param project whose protected branches may be named
 */
export async function namedIn(
  platform: Platform,
  { source, project }: { source: MemberSource; project?: Pick<ProjectRow, 'id' | 'namespace_id'> },
  actor: Actor,
  given: GivenRule,
): Promise<Names> {
  const { user_ids: ids = given.users, usernames, group_ids = given.groups } = given
  const db = platform.database.read
  const named = usernames ? await usersByUsernames(db, lowerCased(usernames)) : []
  const wanted = ids || usernames ? [...(ids ?? []), ...named.map(({ id }) => id)] : undefined
  const today = dayOf(platform.clock.now())
  const members = wanted && (await usersWithRole(db, source, { userIds: wanted, today, least: role.reporter }))
  const groups = group_ids && (await visibleGroups(platform, actor, group_ids))
  const branches =
    project && given.protected_branch_ids && (await branchesNamed(platform, project, given.protected_branch_ids))
  return {
    ...(branches && { branches }),
    ...(members && { userIds: [...members] }),
    ...(groups && { groupIds: [...groups.keys()] }),
  }
}

/**
 * The groups that a rule names after a change: those that the caller cannot see stay, unless they are to be removed (contract 24,
 * Approvals).
 * @param before the groups that it names
 */
export async function withHiddenGroups(
  platform: Platform,
  actor: Actor,
  { groupIds, ...others }: Names,
  before: readonly number[],
  { remove_hidden_groups: removes = false }: GivenRule,
): Promise<Names> {
  if (!removes && groupIds === undefined) return others
  const visible = await visibleGroups(platform, actor, before)
  const chosen = groupIds ?? before.filter((id) => visible.has(id))
  const kept = removes ? [] : before.filter((id) => !visible.has(id))
  return { ...others, groupIds: [...new Set([...chosen, ...kept])] }
}

function countProblems(required: number): string[] {
  if (required < 0) return ['must be greater than or equal to 0']
  return required > 100 ? ['must be less than or equal to 100'] : []
}

/** @throws ApiError 400 for a blank name, and a number outside of 0 to 100 */
export function refuseInvalid({ name, approvals_required: required }: GivenRule): void {
  refuse({
    name: name !== undefined && name.trim() === '' ? ["can't be blank"] : [],
    approvals_required: required === undefined ? [] : countProblems(required),
  })
}

const anyExists = (what: string) => ({ rule_type: [`any-approver for the ${what} already exists`] })
const reportTaken = { report_type: [taken] }
const nameTaken = { name: [taken] }

/** What is wrong with a second rule, by the unique index that refuses it (contract 19, x.approval_rule_create). */
const refusals: Readonly<Record<string, Record<string, string[]>>> = {
  approval_rules_any_approver_unique: anyExists('project'),
  scoped_approval_rules_request_any_unique: anyExists('merge request'),
  scoped_approval_rules_group_any_unique: anyExists('group'),
  approval_rules_report_type_unique: reportTaken,
  scoped_approval_rules_request_report_unique: reportTaken,
  scoped_approval_rules_group_report_unique: reportTaken,
  approval_rules_name_unique: nameTaken,
  scoped_approval_rules_request_name_unique: nameTaken,
  scoped_approval_rules_group_name_unique: nameTaken,
}

/** The error for a rule that exists. */
export function asTaken(error: unknown): unknown {
  const index = Object.keys(refusals).find((name) => isUniqueViolation(error, name))
  return index === undefined ? error : invalid(refusals[index] ?? {})
}

/** Rules of one project, group or merge request (contract 24, Limits). */
const mostRules = 100

/** @throws ApiError 400 when there are as many rules as there may be */
export function refuseMore(count: number): void {
  if (count >= mostRules) throw invalid({ base: [`Maximum number of approval rules (${mostRules}) exceeded`] })
}

/** Names that make a rule one of a report when no type is given (contract 19, x.approval_rule_create). */
const reportsByName: Record<string, ReportType> = {
  'Coverage-Check': 'code_coverage',
  'License-Check': 'license_scanning',
}

/** The type of a new rule as it is stored. @throws ApiError 400 for a rule of a report that names none */
export function kindOf({
  name,
  rule_type,
  report_type,
}: {
  name: string
  rule_type?: RuleType
  report_type?: ReportType
}) {
  const named = Object.hasOwn(reportsByName, name) ? reportsByName[name] : undefined
  const type = rule_type ?? (named ? 'report_approver' : 'regular')
  if (type !== 'report_approver') return { rule_type: type, report_type: null }
  const report = report_type ?? named
  refuse({ report_type: report ? [] : ["can't be blank"] })
  return { rule_type: 'regular' as const, report_type: report ?? null }
}
