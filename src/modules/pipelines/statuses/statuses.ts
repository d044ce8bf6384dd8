import { type Actor, forbidden, notFound, type Page, type PageRequest } from '../../../api/index.ts'
import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { Events, Platform, Ports, Reaction } from '../../../platform/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import { type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'
import { requireCommit } from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'
import { ghostUserId, presentingUsers, usersByIds } from '../../users/index.ts'
import { hasBuilds, mayReadBuilds } from '../access.ts'
import { BasicPipeline } from '../core/present.ts'
import { mayRunOn } from '../creation/rights.ts'
import { insertPipeline } from '../creation/store.ts'
import { lockPipeline, processPipeline } from '../processing/process.ts'
import { pipelineById } from '../processing/store/states.ts'
import { isFinished } from '../processing/transitions.ts'
import type { CiJobRow, CommitState, PipelineRow } from '../tables.ts'
import { coverageOf, detailsOf, nameOf, type StatusDetails } from './external-status.ts'
import type { NewStatus, StatusFilter } from './params.ts'
import { type PresentedStatus, presentStatus } from './present.ts'
import { firstBranchWith, namedRef, type StatusRef } from './status-ref.ts'
import * as store from './store.ts'
import { transition } from './transitions.ts'

/** A reported state that is to be recorded. */
type Report = {
  project: Project
  userId: number | null
  sha: string
  /** When the commit was made. */
  committedAt: string
  ref: StatusRef
  name: string
  state: CommitState
  details: StatusDetails
  pipelineId: number | undefined
}

const timesOf = (state: CommitState, moment: string) => ({
  ...(state === 'running' ? { started_at: moment } : {}),
  ...(isFinished(state) ? { finished_at: moment } : {}),
})

/** The pipeline of a status; the first status of a commit and ref creates one. */
async function pipelineFor(tx: Tx, report: Report, moment: string): Promise<PipelineRow> {
  const { project, sha, committedAt, ref, pipelineId, userId } = report
  const known = await store.newestPipeline(tx, { projectId: project.id, sha, ref: ref.name, id: pipelineId })
  if (known) return known
  return insertPipeline(tx, {
    project_id: project.id,
    iid: await nextInternalId(tx, { projectId: project.id }, 'pipelines'),
    ...{ sha, ref: ref.name, tag: ref.tag, user_id: userId },
    ...{ status: 'created', source: 'external', committed_at: committedAt, created_at: moment, updated_at: moment },
  })
}

/** Changes the status of this name or replaces it. @throws ApiError 400 for an invalid transition */
async function record(tx: Tx, report: Report, pipeline: PipelineRow, moment: string): Promise<CiJobRow> {
  const { name, state, details } = report
  const latest = await store.latestStatus(tx, pipeline.id, name)
  if (latest && transition(latest.status as CommitState, state) === 'change') {
    const changes = { ...details, status: state, ...timesOf(state, moment), updated_at: moment }
    return store.updateStatus(tx, latest.id, changes)
  }
  if (latest) await store.updateStatus(tx, latest.id, { retried: true, updated_at: moment })
  return store.insertStatus(tx, {
    ...{ project_id: report.project.id, pipeline_id: pipeline.id, sha: report.sha, ref: pipeline.ref },
    ...{ external: true, stage: 'external', name, status: state, target_url: null, description: null, coverage: null },
    ...{ user_id: report.userId, started_at: null, finished_at: null, created_at: moment, updated_at: moment },
    ...timesOf(state, moment),
    ...details,
  })
}

/** Presents statuses; their authors are loaded in one query. */
async function presentStatuses(platform: Platform, rows: readonly CiJobRow[]): Promise<PresentedStatus[]> {
  const ids = rows.flatMap(({ user_id }) => user_id ?? [])
  const [users, presenting] = await Promise.all([usersByIds(platform.database.read, ids), presentingUsers(platform)])
  return rows.map((row) => presentStatus(row, users.get(row.user_id ?? 0), presenting))
}

/** The ref of a status: the given one, the ref of the existing pipeline, or a branch with the commit. */
async function refOf(platform: Platform, opened: OpenedRepository, projectId: number, sha: Oid, given: NewStatus) {
  const named = given.ref ? namedRef(opened, given.ref) : undefined
  const { pipeline_id: id } = given
  if (named && id === undefined) return named
  const pipeline = await store.newestPipeline(platform.database.read, { projectId, sha, ref: named?.name, id })
  if (pipeline) return { name: pipeline.ref, tag: pipeline.tag }
  if (id !== undefined) throw notFound('Pipeline for pipeline_id, sha and ref')
  return firstBranchWith(opened, sha)
}

/** A page of the statuses of a commit (contract 22, x.commits_statuses). @throws ApiError 403, 404 Commit */
export async function listStatuses(
  platform: Platform,
  project: Project,
  actor: Actor,
  revision: string,
  filter: StatusFilter,
  page: PageRequest,
): Promise<Page<PresentedStatus>> {
  if (!mayReadBuilds(actor, project)) throw forbidden()
  const { oid } = await requireCommit(await openRepository(platform, project), revision)
  const found = await store.pageOfStatuses(platform.database.read, { projectId: project.id, sha: oid, filter }, page)
  return { ...found, items: await presentStatuses(platform, found.items) }
}

/** Records a state that an external system reports (contract 22, x.commits_status_set). @throws ApiError 400, 403 */
export async function setStatus(
  platform: Platform,
  project: Project,
  actor: Actor,
  revision: string,
  given: NewStatus,
): Promise<PresentedStatus> {
  if (!hasBuilds(project)) throw forbidden()
  coverageOf(given)
  const opened = await openRepository(platform, project)
  const { oid, committer } = await requireCommit(opened, revision)
  const ref = await refOf(platform, opened, project.id, oid, given)
  if (!(await mayRunOn(platform, project, actor, { ref: ref.name, tag: ref.tag }))) throw forbidden()
  const report: Report = {
    ...{
      project,
      sha: oid,
      committedAt: committer.date,
      ref,
      name: nameOf(given),
      state: given.state,
      details: detailsOf(given),
    },
    userId: actor.kind === 'user' ? actor.userId : null,
    pipelineId: given.pipeline_id,
  }
  const moment = now(platform.clock)
  const row = await platform.database.write(async (tx) => {
    // Concurrent first reports share one pipeline.
    await acquireLock(tx, `commit_statuses:${project.id}:${oid}`)
    const pipeline = await pipelineFor(tx, report, moment)
    const status = await record(tx, report, pipeline, moment)
    await processPipeline(platform, tx, pipeline.id)
    return status
  })
  const [presented] = await presentStatuses(platform, [row])
  return presented as PresentedStatus
}

/** What this server itself has done for a pipeline, such as the publication of a site. */
type Outcome = { name: string; isSuccess: boolean; description: string }

const longestDescription = 255

/** Records an outcome as a status of a pipeline, in place of the former one of its name. Does nothing for a deleted pipeline. */
export async function recordOutcome(
  platform: Platform,
  tx: Tx,
  pipelineId: number,
  { name, isSuccess, description }: Outcome,
): Promise<void> {
  await lockPipeline(tx, pipelineId)
  const pipeline = await pipelineById(tx, pipelineId)
  if (!pipeline) return
  const moment = now(platform.clock)
  const former = await store.latestStatus(tx, pipelineId, name)
  if (former) await store.updateStatus(tx, former.id, { retried: true, updated_at: moment })
  const state: CommitState = isSuccess ? 'success' : 'failed'
  await store.insertStatus(tx, {
    ...{ project_id: pipeline.project_id, pipeline_id: pipeline.id, sha: pipeline.sha, ref: pipeline.ref },
    ...{ external: true, stage: 'deploy', name, status: state, target_url: null, coverage: null },
    description: [...description].slice(0, longestDescription).join(''),
    ...{ user_id: pipeline.user_id, started_at: null, finished_at: moment, created_at: moment, updated_at: moment },
  })
  await processPipeline(platform, tx, pipelineId)
}

/** The newest pipeline of each commit; none for callers who may not read builds. */
export const pipelinesOfCommits: Ports['commits.pipelines'] = async (platform, project, actor, oids) => {
  if (!mayReadBuilds(actor, project)) return new Map()
  const rows = await store.newestPipelines(platform.database.read, project.id, oids)
  const { externalUrl } = platform
  return new Map(
    rows.map((row) => [row.sha as Oid, BasicPipeline.present(row, { externalUrl, fullPath: project.full_path })]),
  )
}

/** Moves the pipelines and statuses of a removed user to the ghost user; with `hard`, they have no user (contract 20 R6). */
export const movePipelines: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (!hard && (await store.hasStatuses(tx, userId)))
    await store.giveStatusesTo(tx, userId, await ghostUserId(platform, tx))
}
