import {
  type Actor,
  badRequest,
  failure,
  forbidden,
  invalid,
  type Page,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { mergeRequestByIid } from '../../merge-requests/index.ts'
import { may, type Project } from '../../projects/index.ts'
import { ensureEnvironment } from '../core/environments.ts'
import { requireDeployer } from '../core/protection.ts'
import { environmentById, environmentNamed } from '../core/store.ts'
import type { DeploymentRow } from '../tables.ts'
import type { DeploymentFilter, GivenStatus, NewDeployment } from './params.ts'
import { Deployment, DeploymentDetail, type PresentedDeployment } from './present.ts'
import { followStatus, isFinished, setStatus } from './statuses.ts'
import * as store from './store.ts'

/** A deployment of a project. @throws ApiError 404 */
export async function requireDeployment(db: Reader, project: Project, id: number): Promise<DeploymentRow> {
  const row = await store.deploymentById(db, id)
  if (row?.project_id !== project.id) throw recordNotFound()
  return row
}

const isGiven = (...values: unknown[]) => values.some((value) => value !== undefined)

/** @throws ApiError 400 for filters that do not go together */
function requireCompatible({ order_by: order, status, ...given }: DeploymentFilter): void {
  const byUpdated = isGiven(given.updated_after, given.updated_before)
  const byFinished = isGiven(given.finished_after, given.finished_before)
  const isOfFinished = status !== undefined && isFinished(status)
  if (byUpdated && byFinished)
    throw badRequest('Both `updated_at` filter and `finished_at` filter can not be specified')
  if (byUpdated && order !== 'updated_at') throw badRequest('`updated_at` filter requires `updated_at` sort')
  if (byFinished && order !== 'finished_at') throw badRequest('`finished_at` filter requires `finished_at` sort.')
  if (order === 'finished_at' && !byFinished && !isOfFinished) {
    throw badRequest(
      '`finished_at` sort requires `finished_at` filter or a filter with at least one of the finished statuses.',
    )
  }
  if (byFinished && status !== 'success') {
    throw badRequest('`finished_at` filter must be combined with `success` status filter.')
  }
}

/** A page of the deployments of a project (contract 24, x.deployments_list). @throws ApiError 400 */
export async function listDeployments(
  platform: Platform,
  project: Project,
  reader: Actor,
  filter: DeploymentFilter,
  page: PageRequest,
): Promise<Page<PresentedDeployment>> {
  requireCompatible(filter)
  const db = platform.database.read
  const { environment: name, merge_request_iid: iid, ...others } = filter
  const environment = name === undefined ? undefined : await environmentNamed(db, project.id, name)
  // Who may not read merge requests does not learn which of them were shipped.
  const mayRead = iid !== undefined && may(reader, project, 'read_merge_requests')
  const request = mayRead ? await mergeRequestByIid(db, project.id, iid) : null
  // Nothing has the id 0.
  const environmentId = environment === undefined ? undefined : (environment?.id ?? 0)
  const mergeRequestId = iid === undefined ? undefined : (request?.id ?? 0)
  const found = await store.pageOfDeployments(db, project.id, { ...others, environmentId, mergeRequestId }, page)
  return { ...found, items: await Deployment.presentAll(found.items, { platform, project, reader }) }
}

/** Presents one deployment alone. */
function presentOne(platform: Platform, project: Project, reader: Actor, row: DeploymentRow) {
  return DeploymentDetail.presentOne(row, { platform, project, reader })
}

/** One deployment (contract 24, x.deployments_get). @throws ApiError 404 */
export async function getDeployment(platform: Platform, project: Project, reader: Actor, id: number) {
  return presentOne(platform, project, reader, await requireDeployment(platform.database.read, project, id))
}

/** @throws ApiError 400 for a branch, a tag or a commit that does not exist */
async function requireTarget(platform: Platform, project: Project, { ref, tag, sha }: NewDeployment) {
  const { snapshot, repository } = await openRepository(platform, project)
  if (!(tag ? snapshot.tag(ref) : snapshot.branch(ref))) throw invalid({ ref: ['The branch or tag does not exist'] })
  const oid = parseOid(sha)
  const commit = oid && (await repository.commits([oid])).get(oid)
  if (!commit) throw invalid({ sha: ['The commit does not exist'] })
}

const isSame = (row: DeploymentRow, given: NewDeployment) =>
  (['ref', 'tag', 'sha', 'status'] as const).every((name) => row[name] === given[name])

/** Stores a deployment, unless the newest one of its environment is the same. */
async function storeDeployment(platform: Platform, tx: Tx, project: Project, actor: Actor, given: NewDeployment) {
  const { userId } = requireSignedIn(actor)
  const { environment: name, ref, tag, sha, status } = given
  const environment = await ensureEnvironment(platform, tx, project.id, name)
  await requireDeployer(platform, tx, project, actor, environment)
  await acquireLock(tx, `deployments:${environment.id}`)
  const newest = await store.newestDeployment(tx, environment.id)
  if (newest && isSame(newest, given)) return newest
  const moment = now(platform.clock)
  const row = await store.insertDeployment(tx, {
    ...{ project_id: project.id, environment_id: environment.id, user_id: userId, by_job: false },
    iid: await nextInternalId(tx, { projectId: project.id }, 'deployments'),
    ...{ ref, tag, sha, status, finished_at: isFinished(status) ? moment : null },
    ...{ created_at: moment, updated_at: moment },
  })
  await followStatus(platform, tx, row)
  return row
}

/** Records a deployment that no job has made (contract 24, x.deployments_create). @throws ApiError 400, 403 */
export async function createDeployment(platform: Platform, project: Project, actor: Actor, given: NewDeployment) {
  await requireTarget(platform, project, given)
  const row = await platform.database.write((tx) => storeDeployment(platform, tx, project, actor, given))
  return presentOne(platform, project, actor, row)
}

/** @throws ApiError 403 for callers who may not deploy to the environment of a deployment */
async function requireDeployerTo(platform: Platform, tx: Tx, project: Project, actor: Actor, row: DeploymentRow) {
  const environment = await environmentById(tx, row.environment_id)
  if (environment) await requireDeployer(platform, tx, project, actor, environment)
}

const eventOf: Record<GivenStatus, string> = { running: 'run', success: 'succeed', failed: 'drop', canceled: 'cancel' }

/** Changes the status of a deployment that no job has made (contract 24, x.deployments_update). @throws ApiError 400, 403, 404 */
export async function updateDeployment(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  status: GivenStatus,
) {
  const changed = await platform.database.write(async (tx) => {
    const row = await claim(tx, 'deployments', () => requireDeployment(tx, project, id))
    await requireDeployerTo(platform, tx, project, actor, row)
    if (row.by_job) throw forbidden('Deployments created using GitLab CI can not be updated using the API')
    const isPossible = status === 'running' ? row.status === 'created' : row.status !== status
    if (!isPossible) throw invalid({ status: [`cannot transition via "${eventOf[status]}"`] })
    return setStatus(platform, tx, row, status)
  })
  if (!changed) throw recordNotFound()
  return presentOne(platform, project, actor, changed)
}

/** Deletes a deployment (contract 24, x.deployments_delete). @throws ApiError 400, 403, 404; 412 by `unmodified` */
export async function deleteDeployment(
  platform: Platform,
  project: Project,
  actor: Actor,
  id: number,
  unmodified: Unmodified,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'deployments', () => requireDeployment(tx, project, id))
    await requireDeployerTo(platform, tx, project, actor, row)
    if (row.status === 'running') throw failure(400, 'Cannot destroy running deployment')
    const live = await store.newestSuccessful(tx, row.environment_id)
    if (live?.id === id) throw failure(400, 'Deployment currently deployed to environment')
    unmodified(row.updated_at)
    await store.removeDeployments(tx, id)
  })
}
