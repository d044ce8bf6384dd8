import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type DeploymentApprovalRow, deploymentApprovals } from '../tables.ts'

const { insert, update } = rows(deploymentApprovals)

/** The approvals and rejections of these deployments, by deployment, the oldest first. */
export async function approvalsOf(
  db: Reader,
  deploymentIds: readonly number[],
): Promise<ReadonlyMap<number, DeploymentApprovalRow[]>> {
  if (deploymentIds.length === 0) return new Map()
  const query = db
    .selectFrom('deployment_approvals')
    .selectAll()
    .where(within(db, 'deployment_id', deploymentIds))
  return Map.groupBy(await query.orderBy('id').execute(), ({ deployment_id }) => deployment_id)
}

/** What a user says about a deployment, in place of what the user has said before. */
export async function putApproval(tx: Tx, given: Omit<DeploymentApprovalRow, 'id'>): Promise<DeploymentApprovalRow> {
  const before = tx.selectFrom('deployment_approvals').selectAll().where('deployment_id', '=', given.deployment_id)
  const former = await before.where('user_id', '=', given.user_id).executeTakeFirst()
  if (!former) return insert(tx, given)
  const isSame = former.status === given.status && former.represented_as === given.represented_as
  return isSame ? former : ((await update(tx, former.id, given)) ?? former)
}
