import { writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { deploymentId } from '../deployments/params.ts'
import { approveDeployment, newApproval, requireApprovable } from './approvals.ts'
import { DeploymentApproval } from './present.ts'

export const deploymentsApprove = operation({
  id: 'deployments.approve',
  contract: 'x.deployments_approve',
  method: 'POST',
  path: '/projects/:id/deployments/:deployment_id/approval',
  tier: 'premium',
  tag: 'Deployments',
  summary: 'Approve or reject a deployment that waits for approvals',
  description:
    'For those whom a rule of the protected environment asks. The job is started by someone who may deploy, when no approval is missing.',
  subject: project,
  allow: 'approve_deployments',
  scopes: writing,
  jobToken: true,
  params: { ...deploymentId, ...newApproval },
  result: [201, DeploymentApproval],
  permits: ({ platform, subject, actor, params }) => requireApprovable(platform, subject, actor, params),
  run: ({ platform, subject, actor, params: { deployment_id: id, ...given } }) =>
    approveDeployment(platform, subject, actor, id, given),
})
