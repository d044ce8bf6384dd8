import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ConfigVariable } from '../../ci-config/index.ts'
import { assigneesOf, labelsOf } from '../../issuables/index.ts'
import { milestonesByIds } from '../../milestones/index.ts'
import { type RanFor, requestIidOf, trainRef } from '../../pipelines/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { protectedBranchTest } from '../../protected-branches/index.ts'
import { usersByIds } from '../../users/index.ts'
import { missingApprovals } from '../approvals/progress.ts'
import { approvalsOf } from '../approvals/store.ts'
import { squashesOnMerge } from '../core/present.ts'
import { mergeRequestByIid, openRequestsFrom } from '../core/store.ts'
import { latestVersion } from '../heads/store.ts'
import type { MergeRequestRow } from '../tables.ts'

/** Open merge requests of a branch that are named. */
const mostNamed = 4
/** Characters of the description, as clients get them elsewhere. */
const longestDescription = 2_700

type Values = Record<string, string>

/** The branches of a merge request (contract 24, Merge request pipelines). */
export async function branchesOfRequest(_platform: Platform, db: Reader, projectId: number, iid: number) {
  const row = await mergeRequestByIid(db, projectId, iid)
  return row && { source: row.source_branch, target: row.target_branch }
}

async function namesOf(db: Reader, { id, milestone_id }: MergeRequestRow): Promise<Values> {
  const [labels, assignees] = [await labelsOf(db, 'MergeRequest', [id]), await assigneesOf(db, 'MergeRequest', [id])]
  const [users, milestones] = [
    await usersByIds(db, assignees.get(id) ?? []),
    await milestonesByIds(db, milestone_id === null ? [] : [milestone_id]),
  ]
  const titles = (labels.get(id) ?? []).map(({ title }) => title)
  const usernames = (assignees.get(id) ?? []).flatMap((one) => users.get(one)?.username ?? [])
  const milestone = milestones.get(milestone_id ?? 0)
  return {
    ...(titles.length > 0 && { CI_MERGE_REQUEST_LABELS: titles.join(',') }),
    ...(usernames.length > 0 && { CI_MERGE_REQUEST_ASSIGNEES: usernames.join(',') }),
    ...(milestone && { CI_MERGE_REQUEST_MILESTONE: milestone.title }),
  }
}

/** Whether a merge request is approved: by all rules, or by someone where no rule asks. */
async function isApproved(platform: Platform, row: MergeRequestRow): Promise<boolean> {
  if (((await missingApprovals(platform, [row])).get(row.id) ?? 0) > 0) return false
  return ((await approvalsOf(platform.database.read, [row.id])).get(row.id) ?? []).length > 0
}

async function ofBranches(platform: Platform, project: ProjectRow, row: MergeRequestRow): Promise<Values> {
  const { source_branch: source, target_branch: target, sha, target_sha } = row
  const isProtected = await protectedBranchTest(platform, project, [source, target])
  return {
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: source,
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sha,
    CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED: String(isProtected(source)),
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: target,
    CI_MERGE_REQUEST_TARGET_BRANCH_SHA: target_sha ?? '',
    CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED: String(isProtected(target)),
  }
}

async function ofRequest(platform: Platform, project: ProjectRow, row: MergeRequestRow, ref: string): Promise<Values> {
  const { id, iid, title, draft } = row
  const db = platform.database.read
  const [version, branches, names, approved] = await Promise.all([
    latestVersion(db, id),
    ofBranches(platform, project, row),
    namesOf(db, row),
    isApproved(platform, row),
  ])
  const description = [...(row.description ?? '')]
  const projectId = String(project.id)
  return {
    CI_MERGE_REQUEST_ID: String(id),
    CI_MERGE_REQUEST_IID: String(iid),
    CI_MERGE_REQUEST_PROJECT_ID: projectId,
    CI_MERGE_REQUEST_PROJECT_PATH: project.full_path,
    CI_MERGE_REQUEST_PROJECT_URL: `${platform.externalUrl}/${project.full_path}`,
    CI_MERGE_REQUEST_REF_PATH: ref,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: projectId,
    ...branches,
    CI_MERGE_REQUEST_TITLE: title,
    CI_MERGE_REQUEST_DESCRIPTION: description.slice(0, longestDescription).join(''),
    CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED: String(description.length > longestDescription),
    ...names,
    ...(version && {
      CI_MERGE_REQUEST_DIFF_ID: String(version.id),
      CI_MERGE_REQUEST_DIFF_BASE_SHA: version.base_sha ?? '',
    }),
    CI_MERGE_REQUEST_DRAFT: String(draft),
    CI_MERGE_REQUEST_SQUASH_ON_MERGE: String(squashesOnMerge(row, project)),
    ...(approved && { CI_MERGE_REQUEST_APPROVED: 'true' }),
    CI_MERGE_REQUEST_EVENT_TYPE: ref === trainRef(iid) ? 'merge_train' : 'detached',
  }
}

async function openOf(db: Reader, { id, full_path }: ProjectRow, branch: string): Promise<Values> {
  const open = await openRequestsFrom(db, id, [branch])
  if (open.length === 0) return {}
  return {
    CI_OPEN_MERGE_REQUESTS: open
      .slice(0, mostNamed)
      .map(({ iid }) => `${full_path}!${iid}`)
      .join(','),
  }
}

/**
 * The variables of a pipeline about merge requests (contract 24, Merge request pipelines): the one for which it runs, as it is now, and
 * the open ones of its branch.
 */
export async function variablesOfRequests(
  platform: Platform,
  project: ProjectRow,
  about: Required<RanFor>,
): Promise<ConfigVariable[]> {
  const db = platform.database.read
  const iid = requestIidOf(about)
  const row = iid === null ? null : await mergeRequestByIid(db, project.id, iid)
  const branch = iid === null && !about.tag ? about.ref : row?.source_branch
  const values = {
    ...(row && (await ofRequest(platform, project, row, about.ref))),
    ...(branch !== undefined && (await openOf(db, project, branch))),
  }
  return Object.entries(values).map(([key, value]) => ({ key, value, raw: true }))
}
