import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { type ApprovalRule, type DeployAccess, deployAccess, described } from '../../protected-environments/index.ts'
import { usersByIds } from '../../users/index.ts'
import { environmentsByIds } from '../core/store.ts'
import type { DeploymentApprovalRow, DeploymentRow } from '../tables.ts'
import { approvalsOf } from './store.ts'

/** How far a rule is fulfilled: what those have said of whom it asks. */
export type RuleProgress = { rule: ApprovalRule; description: string; given: DeploymentApprovalRow[]; missing: number }

/** What was said about a deployment, and what the rules of its environment ask for. */
export type Progress = { given: DeploymentApprovalRow[]; rules: RuleProgress[]; missing: number }

/** Whether a deployment waits for approvals, if its environment needs any: its job has not begun. */
export const isWaiting = ({ by_job, status }: DeploymentRow) => by_job && (status === 'blocked' || status === 'created')

/** Those of these approvals that count for a rule: of whom it asks now, and not in the name of another rule. */
function givenFor(
  rule: ApprovalRule & { description: string },
  given: readonly DeploymentApprovalRow[],
  access: DeployAccess,
  administrators: ReadonlySet<number>,
) {
  return given.filter(({ user_id: userId, represented_as: name }) => {
    const isMeant = name === null || name === rule.description
    return isMeant && access.isApprover(rule, { userId, administrator: administrators.has(userId) })
  })
}

function progressOf(rule: ApprovalRule & { description: string }, given: DeploymentApprovalRow[]): RuleProgress {
  const approvals = given.filter(({ status }) => status === 'approved').length
  const missing = Math.max(0, rule.required_approvals - approvals)
  return { rule, description: rule.description, given, missing }
}

/**
 * The progress of deployments of one project, by their ids: a person counts once in each rule, while the rule asks them
 * (contract 24, Protection). In a fixed number of queries.
 */
export async function approvalProgress(
  platform: Platform,
  db: Reader,
  project: ProjectRow,
  deployments: readonly DeploymentRow[],
): Promise<ReadonlyMap<number, Progress>> {
  const environments = await environmentsByIds(db, [...new Set(deployments.map((row) => row.environment_id))])
  const approvals = await approvalsOf(
    db,
    deployments.map(({ id }) => id),
  )
  const userIds = [...new Set([...approvals.values()].flat().map(({ user_id }) => user_id))]
  const access = await deployAccess(platform, db, project, [...environments.values()], userIds)
  const users = userIds.length === 0 ? [] : [...(await usersByIds(db, userIds)).values()]
  const administrators = new Set(users.filter(({ is_admin }) => is_admin).map(({ id }) => id))
  const asked = [...new Set([...environments.values()].flatMap((one) => access.approvalRules(one)))]
  const named = new Map((await described(db, asked)).map((rule) => [rule.id, rule]))
  const progress = new Map<number, Progress>()
  for (const { id, environment_id } of deployments) {
    const environment = environments.get(environment_id)
    const given = approvals.get(id) ?? []
    const own = environment ? access.approvalRules(environment) : []
    const rules = own
      .flatMap((rule) => named.get(rule.id) ?? [])
      .map((rule) => progressOf(rule, givenFor(rule, given, access, administrators)))
    progress.set(id, { given, rules, missing: rules.reduce((sum, { missing }) => sum + missing, 0) })
  }
  return progress
}
