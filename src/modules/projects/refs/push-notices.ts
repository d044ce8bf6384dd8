import { branchName, isZeroOid } from '../../../infra/git/index.ts'
import type { AppliedChange, Platform, RefListener } from '../../../platform/index.ts'
import { settingsOf } from '../settings/settings.ts'
import type { ProjectRow } from '../tables.ts'
import { defaultBranchName, projectOf } from './default-branch.ts'

/** The known push options (contract 22 R6); some have a value. */
const knownOptions = new Set([
  'ci.skip',
  'ci.variable',
  'ci.input',
  'merge_request.create',
  'merge_request.target',
  'merge_request.target_project',
  'merge_request.auto_merge',
  'merge_request.merge_when_pipeline_succeeds',
  'merge_request.remove_source_branch',
  'merge_request.squash',
  'merge_request.title',
  'merge_request.description',
  'merge_request.draft',
  'merge_request.milestone',
  'merge_request.label',
  'merge_request.unlabel',
  'merge_request.assign',
  'merge_request.unassign',
  'integrations.skip_ci',
  'secret_push_protection.skip_all',
])
/** The most branches of one push for which links are shown. */
const largestLinkCount = 10
const optionLength = 100

function optionNotices(pushOptions: readonly string[]): string[] {
  const unknown = pushOptions.filter((option) => !knownOptions.has(option.split('=', 1)[0] ?? ''))
  return unknown.map((option) => `WARNING: unknown push option '${option.slice(0, optionLength)}' was ignored`)
}

function linkNotices(project: ProjectRow, branches: readonly string[], externalUrl: string): string[] {
  return branches.slice(0, largestLinkCount).flatMap((branch) => {
    const query = `merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}`
    return [
      '',
      `To create a merge request for ${branch}, visit:`,
      `  ${externalUrl}/${project.full_path}/-/merge_requests/new?${query}`,
      '',
    ]
  })
}

async function linksOf(platform: Platform, applied: AppliedChange): Promise<string[]> {
  const project = await projectOf(platform, applied)
  if (!project || !settingsOf(project).printing_merge_request_link_enabled) return []
  const defaultBranch = await defaultBranchName(platform, project)
  const branches = applied.changes.flatMap((change) => (isZeroOid(change.new) ? [] : (branchName(change.ref) ?? [])))
  const others = branches.filter((branch) => branch !== defaultBranch)
  return linkNotices(project, others, platform.externalUrl)
}

/** Messages after a successful push: links to create merge requests, and unknown push options (contract 22 R6). */
export const pushNotices: RefListener = {
  async messages(platform, applied) {
    return [...optionNotices(applied.mover.pushOptions ?? []), ...(await linksOf(platform, applied))]
  },
}
