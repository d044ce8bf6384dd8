import { type Actor, failure, type ParamValues, requireSignedIn, t } from '../../../api/index.ts'
import { claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { failJobIn, isFrozenNow, jobById, lockPipeline } from '../../pipelines/index.ts'
import { type Project, settingOf } from '../../projects/index.ts'
import { described } from '../../protected-environments/index.ts'
import { accessOfCaller, deployerOf } from '../core/protection.ts'
import { environmentById } from '../core/store.ts'
import { requireDeployment } from '../deployments/deployments.ts'
import { usersOf } from '../deployments/present.ts'
import { setStatus } from '../deployments/statuses.ts'
import { approvalStatuses, type DeploymentRow } from '../tables.ts'
import { DeploymentApproval } from './present.ts'
import { isWaiting } from './progress.ts'
import { putApproval } from './store.ts'

/** Parameters of x.deployments_approve. */
export const newApproval = {
  status: t.required(t.oneOf(approvalStatuses)),
  comment: t.string({ maxLength: 255 }),
  represented_as: t.string({
    description: 'Name of the role, user or group of a rule, for which it shall count alone.',
  }),
}
type NewApproval = ParamValues<typeof newApproval>

const problems = {
  open: 'This environment is not protected.',
  own: 'You cannot approve your own deployment. This configuration can be adjusted in the protected environment settings.',
  noRules: 'Deployment approvals is not configured for this environment.',
  notWaiting: 'This deployment is not waiting for approvals.',
  noRight: "You don't have permission to approve this deployment. Contact the project or group owner for help.",
  notRepresented:
    'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
} as const satisfies Record<string, string>

function refuseIf(condition: boolean, problem: keyof typeof problems): void {
  if (condition) throw failure(400, problems[problem])
}

/** Requires that a rule of the environment asks the caller, and that the deployment waits for an answer. @throws ApiError 400 */
async function requireApprover(
  platform: Platform,
  db: Reader,
  project: Project,
  actor: Actor,
  { row, given }: { row: DeploymentRow; given: Partial<NewApproval> },
): Promise<void> {
  const environment = await environmentById(db, row.environment_id)
  if (!environment) return refuseIf(true, 'open')
  const access = await accessOfCaller(platform, db, project, actor, [environment])
  const caller = deployerOf(actor)
  refuseIf(!access.isProtected(environment), 'open')
  const mayApproveOwn = settingOf(project, 'allow_pipeline_trigger_approve_deployment')
  refuseIf(given.status === 'approved' && row.user_id === caller.userId && !mayApproveOwn, 'own')
  const rules = access.approvalRules(environment)
  refuseIf(rules.length === 0, 'noRules')
  refuseIf(!isWaiting(row), 'notWaiting')
  const asking = rules.filter((rule) => access.isApprover(rule, caller))
  refuseIf(asking.length === 0, 'noRight')
  const name = given.represented_as
  if (!name) return
  const named = await described(db, asking)
  refuseIf(!named.some(({ description }) => description === name), 'notRepresented')
}

/** Requires that the caller may answer as given. @throws ApiError 400, 404 */
export async function requireApprovable(
  platform: Platform,
  project: Project,
  actor: Actor,
  { deployment_id: id, ...given }: Partial<NewApproval> & { deployment_id?: number },
): Promise<void> {
  const { read } = platform.database
  const row = await requireDeployment(read, project, id ?? 0)
  await requireApprover(platform, read, project, actor, { row, given })
}

/** Fails a deployment that was rejected, with its job (contract 24, Deployments). */
async function reject(platform: Platform, tx: Tx, row: DeploymentRow, frozen: boolean): Promise<void> {
  const job = row.job_id === null ? null : await jobById(tx, row.job_id)
  const failed = job && (await failJobIn(platform, tx, job, 'deployment_rejected', { frozen }))
  if (!failed) await setStatus(platform, tx, row, 'failed')
}

/**
 * Approves or rejects a deployment that waits for approvals (contract 24, x.deployments_approve). Its job stays as it is until
 * a user plays it; a rejection fails it.
 * @throws ApiError 400, 404
 */
export async function approveDeployment(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  given: NewApproval,
) {
  const { userId } = requireSignedIn(actor)
  const { database, clock } = platform
  const { pipeline_id: pipelineId } = await requireDeployment(database.read, project, id)
  const frozen = given.status === 'rejected' && (await isFrozenNow(platform, { project_id: project.id }))
  const approval = await database.write(async (tx) => {
    // The job must not be started meanwhile.
    if (pipelineId !== null) await lockPipeline(tx, pipelineId)
    const row = await claim(tx, 'deployments', () => requireDeployment(tx, project, id))
    await requireApprover(platform, tx, project, actor, { row, given })
    const stored = await putApproval(tx, {
      ...{ deployment_id: id, user_id: userId, status: given.status, created_at: now(clock) },
      ...{ comment: given.comment || null, represented_as: given.represented_as || null },
    })
    if (given.status === 'rejected') await reject(platform, tx, row, frozen)
    return stored
  })
  return DeploymentApproval.present(approval, { people: await usersOf(platform, [userId]) })
}
