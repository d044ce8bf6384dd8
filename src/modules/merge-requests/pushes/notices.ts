import type { AppliedChange, Platform } from '../../../platform/index.ts'
import { defaultBranchName, type ProjectRow, projectById, settingsOf } from '../../projects/index.ts'
import { openRequestsFrom } from '../core/store.ts'
import { requestOptionsOf } from './options.ts'
import { carryOutOptions, pushedBranches } from './requests.ts'

/** The most branches of one push for which addresses are shown. */
const mostAddresses = 10

/** The address of the open merge request of each branch, or the one at which one can be created (contract 22 R6). */
async function addresses(platform: Platform, project: ProjectRow, names: readonly string[]): Promise<string[]> {
  const open = await openRequestsFrom(platform.database.read, project.id, names)
  const base = `${platform.externalUrl}/${project.full_path}/-/merge_requests`
  return names.flatMap((name) => {
    const request = open.find(({ source_branch }) => source_branch === name)
    const query = `merge_request%5Bsource_branch%5D=${encodeURIComponent(name)}`
    return request
      ? ['', `View merge request for ${name}:`, `  ${base}/${request.iid}`, '']
      : ['', `To create a merge request for ${name}, visit:`, `  ${base}/new?${query}`, '']
  })
}

/** Follows the push options about merge requests; tells what failed, and the addresses of merge requests (contract 22 R6). */
export async function followPush(platform: Platform, applied: AppliedChange): Promise<string[]> {
  const { row, writer } = applied
  const projectId = row.kind === 'project' ? row.project_id : null
  const project = projectId === null ? null : await projectById(platform.database.read, projectId)
  if (!project) return []
  const options = requestOptionsOf(writer.pushOptions ?? [])
  const problems = options ? await carryOutOptions(platform, project, applied, options) : []
  const warnings = problems.map((text) => `WARNING: Error encountered with push options ${options?.given}: ${text}`)
  if (!settingsOf(project).printing_merge_request_link_enabled) return warnings
  const defaultBranch = await defaultBranchName(platform, project)
  const names = pushedBranches(applied).flatMap(({ name }) => (name === defaultBranch ? [] : [name]))
  return [...warnings, ...(await addresses(platform, project, names.slice(0, mostAddresses)))]
}
