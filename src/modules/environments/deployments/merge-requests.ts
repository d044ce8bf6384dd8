import type { Actor, Page, PageRequest, RequestInfo } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type ListParams, listMergeRequests } from '../../merge-requests/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireDeployment } from './deployments.ts'
import { linkedMergeRequests } from './store.ts'

type Asked = { platform: Platform; actor: Actor; params: ListParams; request: RequestInfo }

/** A page of the merge requests that a deployment has shipped (contract 24, x.deployments_merge_requests). @throws ApiError 404 */
export async function mergeRequestsOfDeployment(
  project: Project,
  id: number,
  asked: Asked,
  page: PageRequest,
): Promise<Page<object>> {
  const { database } = asked.platform
  await requireDeployment(database.read, project, id)
  const among = await linkedMergeRequests(database.read, id)
  return listMergeRequests({ ...asked, parent: { project } }, page, among)
}
