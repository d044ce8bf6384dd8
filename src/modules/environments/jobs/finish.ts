import { expandText } from '../../../infra/expansion/index.ts'
import { branchRef, type Oid, parseOid, refName } from '../../../infra/git/index.ts'
import type { Job, Platform } from '../../../platform/index.ts'
import { openRow, outsideGate, type RepositoryRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { mergedWithCommits } from '../../merge-requests/index.ts'
import { definitionOf } from '../../pipelines/index.ts'
import { urlOrNull } from '../core/environments.ts'
import { environmentById, updateEnvironmentRow } from '../core/store.ts'
import { finishing } from '../deployments/statuses.ts'
import { deploymentById, linkMergeRequests, newestSuccessful } from '../deployments/store.ts'
import type { DeploymentRow, EnvironmentRow } from '../tables.ts'

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The variables of a job that has ended, with those of its reports, by key; null when what they are made of is gone. */
    'environments.variables_of_job'(jobId: number): Promise<ReadonlyMap<string, string> | null>
  }
}

/** Commits between two deployments that are compared with merge requests; older ones are not looked at. */
const mostCommits = 10_000

/** What an address may refer to when the variables of its job cannot be read any more. */
const knownOf = ({ name, slug }: EnvironmentRow) =>
  new Map([
    ['CI_ENVIRONMENT_NAME', name],
    ['CI_ENVIRONMENT_SLUG', slug],
  ])

/** Stores the address that a job has given its environment, with all references replaced. */
async function storeUrl(
  platform: Platform,
  { job_id: jobId }: DeploymentRow,
  environment: EnvironmentRow,
): Promise<void> {
  const { database } = platform
  const { id } = environment
  const url = jobId === null ? null : (await definitionOf(database.read, jobId))?.environment?.url
  if (!url || jobId === null) return
  const ofJob = url.includes('$') ? await platform.ports['environments.variables_of_job'](platform, jobId) : null
  const values = ofJob ?? knownOf(environment)
  const external_url = urlOrNull(expandText(url, (key) => values.get(key)))
  if (external_url !== null) await database.write((tx) => updateEnvironmentRow(tx, id, { external_url }))
}

/** Points a ref at the commit of a deployment, so that it stays in the repository. */
async function keepCommit(
  platform: Platform,
  row: RepositoryRow,
  { slug }: EnvironmentRow,
  { iid, sha }: DeploymentRow,
): Promise<void> {
  const [ref, oid] = [refName(`refs/environments/${slug}/deployments/${iid}`), parseOid(sha)]
  if (!ref || !oid) return
  const repository = await openRow(platform, row)
  if (!(await repository.commits([oid])).has(oid)) return
  await outsideGate(platform, row, () => repository.updateRefs([{ ref, old: null, new: oid }]))
}

/** Records the merge requests whose merges lie between the deployment before and this one. */
async function linkShipped(platform: Platform, row: RepositoryRow, deployment: DeploymentRow): Promise<void> {
  const { id, project_id: projectId, ref, tag, sha, environment_id } = deployment
  const oid = parseOid(sha)
  if (tag || !oid || !branchRef(ref)) return
  const { database } = platform
  const repository = await openRow(platform, row)
  const before = parseOid((await newestSuccessful(database.read, environment_id, id))?.sha ?? '')
  const isThere = async (commit: Oid) => (await repository.commits([commit])).has(commit)
  if (!(await isThere(oid))) return
  const excluded = before && (await isThere(before)) ? [before] : []
  const commits = await repository.log({ tips: [oid], excluded, limit: mostCommits })
  const shipped = await mergedWithCommits(database.read, { projectId, branch: ref }, commits)
  await database.write((tx) => linkMergeRequests(tx, id, shipped))
}

/** Carries out what follows a successful deployment: its address, its ref and its merge requests (contract 24, Deployments). */
export const finishDeploymentJob: Job<{ deploymentId: number }> = {
  ...finishing,
  async run(platform, { deploymentId }) {
    const { read } = platform.database
    const deployment = await deploymentById(read, deploymentId)
    const environment = deployment && (await environmentById(read, deployment.environment_id))
    if (!environment || deployment.status !== 'success') return
    await storeUrl(platform, deployment, environment)
    const row = await repositoryOfProject(read, deployment.project_id)
    if (!row) return
    await keepCommit(platform, row, environment, deployment)
    await linkShipped(platform, row, deployment)
  },
}
