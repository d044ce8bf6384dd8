import { type Actor, forbidden, isAdministrator, requireSignedIn } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { type DeployAccess, type Deployer, deployAccess } from '../../protected-environments/index.ts'
import type { EnvironmentRow } from '../tables.ts'

/** The caller as one who deploys. @throws ApiError 401 */
export function deployerOf(actor: Actor): Deployer {
  return { userId: requireSignedIn(actor).userId, administrator: isAdministrator(actor) }
}

/** Who may deploy to these environments; the caller will be asked for. */
export function accessOfCaller(
  platform: Platform,
  db: Reader,
  project: Project,
  actor: Actor,
  environments: readonly EnvironmentRow[],
): Promise<DeployAccess> {
  return deployAccess(platform, db, project, environments, [deployerOf(actor).userId])
}

/** @throws ApiError 403 for callers who may not deploy to the environment (contract 24, Protection) */
export async function requireDeployer(
  platform: Platform,
  db: Reader,
  project: Project,
  actor: Actor,
  environment: EnvironmentRow,
): Promise<void> {
  const access = await accessOfCaller(platform, db, project, actor, [environment])
  if (!access.mayDeploy(environment, deployerOf(actor))) throw forbidden()
}

/** What protects environments of a project, where it matters to no one in particular. */
export async function protectionOf(
  platform: Platform,
  db: Reader,
  projectId: number,
  environments: readonly EnvironmentRow[],
): Promise<Pick<DeployAccess, 'isProtected' | 'approvalRules'>> {
  const project = await projectById(db, projectId)
  return project
    ? deployAccess(platform, db, project, environments, [])
    : { isProtected: () => false, approvalRules: () => [] }
}
