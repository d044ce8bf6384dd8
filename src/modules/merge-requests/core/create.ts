import { type Actor, failure, refuse, requireSignedIn } from '../../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import { openRepositoryForWriting, outsideGate } from '../../../platform/repositories/index.ts'
import { followDescription, issuableTextProblems, keptMilestone, milestoneIn } from '../../issuables/index.ts'
import { subscribeParticipant } from '../../notes/index.ts'
import { type Project, settingsOf } from '../../projects/index.ts'
import { recordClosings } from '../closing/closing.ts'
import { headsIn, keepHead } from '../heads/heads.ts'
import { versionColumns } from '../heads/observe.ts'
import { insertVersion } from '../heads/store.ts'
import { type NewVersion, readVersion } from '../heads/version.ts'
import { issuableOf } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { isDraft } from './drafts.ts'
import type { NewMergeRequest } from './params.ts'
import { carryOut, isPlanner, type Plan, peopleIn } from './plan.ts'
import { presentSingle, upToDate } from './single.ts'
import { insertMergeRequest, openRequestOf } from './store.ts'
import { alreadyOpen, branchProblems, requireDifferent } from './validation.ts'

/** Under which a project numbers its merge requests. */
const numbered = 'merge_requests'

/** A merge request to be stored. */
type Draft = {
  project: Project
  params: NewMergeRequest
  authorId: number
  version: NewVersion
  milestoneId: number | null
  plan: Plan
}

/** Whether a new merge request is squashed, as asked for and as the project allows. */
function squashOf(project: Project, asked: boolean | undefined): boolean {
  const { squash_option: option } = settingsOf(project)
  if (option === 'always' || option === 'never') return option === 'always'
  return asked ?? option === 'default_on'
}

async function insert(platform: Platform, tx: Tx, draft: Draft): Promise<MergeRequestRow> {
  const { project, params, authorId, version, milestoneId, plan } = draft
  const { title, description, source_branch, target_branch, discussion_locked, merge_after } = params
  const origin = { userId: authorId, at: now(platform.clock) }
  const row = await insertMergeRequest(tx, {
    iid: await nextInternalId(tx, { projectId: project.id }, numbered),
    ...{ project_id: project.id, author_id: authorId, title, description: description ?? null, draft: isDraft(title) },
    ...{
      source_branch,
      target_branch,
      sha: version.head,
      target_sha: version.start,
      milestone_id: await keptMilestone(tx, milestoneId),
    },
    ...{ discussion_locked: discussion_locked ?? null, merge_after: merge_after ?? null },
    squash: squashOf(project, params.squash),
    force_remove_source_branch: params.remove_source_branch ?? null,
    ...{ prepared_at: origin.at, created_at: origin.at, updated_at: origin.at },
  })
  await insertVersion(tx, project.id, versionColumns(row.id, version, origin.at), version.commits)
  await carryOut(platform, tx, { before: null, row, project, plan, origin })
  await subscribeParticipant(tx, issuableOf(row), authorId, origin.at)
  await followDescription(platform, tx, issuableOf(row), origin)
  await react(platform, tx, 'merge_request.changed', {
    ...{ mergeRequestId: row.id, projectId: project.id, userId: authorId },
    ...{ sha: row.sha, previousSha: null },
  })
  return row
}

/** @throws ApiError 422 for another project; 400 for branches that do not exist, and for the texts */
async function requireSound(platform: Platform, project: Project, params: NewMergeRequest) {
  const { source_branch, target_branch, target_project_id: target } = params
  if (target !== undefined && target !== project.id) {
    throw failure(422, ['Source project is not a fork of the target project'])
  }
  requireDifferent(source_branch, target_branch)
  const opened = await openRepositoryForWriting(platform, project)
  refuse({ ...branchProblems(opened.snapshot, { source_branch, target_branch }), ...issuableTextProblems(params) })
  return opened
}

/**
 * Creates a merge request (contract 19, x.mr_create). Of two at once with the same branches the unique index lets one win.
 * @throws ApiError 400, 409, 422
 */
export async function createMergeRequest(platform: Platform, project: Project, caller: Actor, params: NewMergeRequest) {
  const { userId } = requireSignedIn(caller)
  const { repository, snapshot, row: stored } = await requireSound(platform, project, params)
  const { source_branch, target_branch, labels } = params
  const existing = () => openRequestOf(platform.database.read, project.id, source_branch, target_branch)
  const other = await existing()
  if (other) throw alreadyOpen(other)
  const { source, target } = headsIn(snapshot, params)
  if (!source || !target) throw new Error('a branch vanished from a snapshot')
  const plans = isPlanner(caller, project)
  const [version, milestoneId, people] = await Promise.all([
    readVersion(repository, source, target),
    plans ? milestoneIn(platform.database.read, project, params.milestone_id) : null,
    plans ? peopleIn(platform, project, params) : {},
  ])
  const plan: Plan = { ...people, ...(plans && labels && { labels }) }
  const draft = { project, params, authorId: userId, version, milestoneId: milestoneId ?? null, plan }
  const row = await platform.database
    .write((tx) => insert(platform, tx, draft))
    .catch(async (error: unknown) => {
      const winner = isUniqueViolation(error, 'merge_requests_branches_unique') ? await existing() : null
      throw winner ? alreadyOpen(winner) : error
    })
  await outsideGate(platform, stored, () => keepHead(repository, row.iid, source))
  await recordClosings(platform, row.id)
  return presentSingle(platform, { project, row: await upToDate(platform, { project, row }) }, caller)
}
