import { type Actor, forbidden, notFound, type Page, type PageRequest } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, holdName, now, type Tx } from '../../infra/database/index.ts'
import type { Oid } from '../../infra/git/index.ts'
import { requireCommit } from '../commits/index.ts'
import type { Project } from '../projects/index.ts'
import { type OpenedRepository, openRepository, type Repositories } from '../repositories/index.ts'
import { type PresentingUsers, usersByIds } from '../users/index.ts'
import { hasBuilds, mayReadBuilds } from './access.ts'
import { coverageOf, detailsOf, type GivenStatus, nameOf, type StatusDetails } from './external-status.ts'
import { type PresentedStatus, presentStatus } from './present.ts'
import { firstBranchWith, namedRef, type StatusRef } from './status-ref.ts'
import {
  insertPipeline,
  insertStatus,
  latestStatus,
  newestPipeline,
  nextInternalId,
  pageOfStatuses,
  type StatusFilter,
  statesOf,
  updatePipeline,
  updateStatus,
} from './store.ts'
import type { CommitState, CommitStatusRow, PipelineRow } from './tables.ts'
import { isFinished, pipelineStatus, transition } from './transitions.ts'

type MayTouch = (project: Project, actor: Actor, name: string) => Promise<boolean>

export type StatusNeeds = {
  database: Database
  repositories: Repositories
  clock: Clock
  presentingUsers(): Promise<PresentingUsers>
  /** Who may push to a branch, merge into it, and make a tag, by the rules that protect them. */
  mayPush: MayTouch
  mayMerge: MayTouch
  mayCreateTag: MayTouch
}

/** One new state of a status, on its way into the database. */
type Report = {
  project: Project
  userId: number | null
  sha: string
  ref: StatusRef
  name: string
  state: CommitState
  details: StatusDetails
  pipelineId: number | undefined
}

/** Statuses that other systems give to commits (contract 22, x.commits_statuses, x.commits_status_set). */
export type Statuses = ReturnType<typeof createStatuses>

const timesOf = (state: CommitState, moment: string) => ({
  ...(state === 'running' ? { started_at: moment } : {}),
  ...(isFinished(state) ? { finished_at: moment } : {}),
})

/** The pipeline that a status belongs to; the first status of a commit and ref makes one. */
async function pipelineFor(tx: Tx, report: Report, moment: string): Promise<PipelineRow> {
  const { project, sha, ref, pipelineId, userId } = report
  const known = await newestPipeline(tx, { projectId: project.id, sha, ref: ref.name, id: pipelineId })
  if (known) return known
  return insertPipeline(tx, {
    project_id: project.id,
    iid: await nextInternalId(tx, project.id, 'pipelines'),
    ...{ sha, ref: ref.name, tag: ref.tag, user_id: userId },
    ...{ status: 'created', source: 'external', created_at: moment, updated_at: moment },
  })
}

/** Changes the status of this name, or puts another in its place. @throws ApiError 400 for a state that cannot follow */
async function record(tx: Tx, report: Report, pipeline: PipelineRow, moment: string): Promise<CommitStatusRow> {
  const { name, state, details } = report
  const latest = await latestStatus(tx, pipeline.id, name)
  if (latest && transition(latest.status, state) === 'change') {
    return updateStatus(tx, latest.id, { ...details, status: state, ...timesOf(state, moment), updated_at: moment })
  }
  if (latest) await updateStatus(tx, latest.id, { retried: true, updated_at: moment })
  return insertStatus(tx, {
    ...{ project_id: report.project.id, pipeline_id: pipeline.id, sha: report.sha, ref: pipeline.ref },
    ...{ stage: 'external', name, status: state, target_url: null, description: null, coverage: null },
    ...{ user_id: report.userId, started_at: null, finished_at: null, created_at: moment, updated_at: moment },
    ...timesOf(state, moment),
    ...details,
  })
}

/** Brings a pipeline to where its statuses are. */
async function follow(tx: Tx, pipeline: PipelineRow, moment: string): Promise<void> {
  const status = pipelineStatus(await statesOf(tx, pipeline.id))
  if (status === pipeline.status) return
  await updatePipeline(tx, pipeline.id, {
    status,
    started_at: pipeline.started_at ?? (status === 'running' ? moment : null),
    finished_at: isFinished(status) ? moment : null,
    updated_at: moment,
  })
}

export function createStatuses(needs: StatusNeeds) {
  const { database, clock, presentingUsers, mayPush, mayMerge, mayCreateTag } = needs

  /** Statuses as they are shown, with their authors loaded for all at once. */
  async function present(rows: readonly CommitStatusRow[]): Promise<PresentedStatus[]> {
    const ids = rows.flatMap(({ user_id }) => user_id ?? [])
    const [users, presenting] = await Promise.all([usersByIds(database.read, ids), presentingUsers()])
    return rows.map((row) => presentStatus(row, users.get(row.user_id ?? 0), presenting))
  }

  /** The ref that a status belongs to: named, or that of the pipeline that is there, or some branch with the commit. */
  async function refOf(opened: OpenedRepository, projectId: number, oid: Oid, given: GivenStatus): Promise<StatusRef> {
    const named = given.ref ? namedRef(opened, given.ref) : undefined
    const { pipeline_id: id } = given
    if (named && id === undefined) return named
    const pipeline = await newestPipeline(database.read, { projectId, sha: oid, ref: named?.name, id })
    if (pipeline) return { name: pipeline.ref, tag: pipeline.tag }
    if (id !== undefined) throw notFound('Pipeline for pipeline_id, sha and ref')
    return firstBranchWith(opened, oid)
  }

  /** As for a pipeline (contract 04): by the right to push or to merge, for a tag by the right to make it. */
  async function mayRun(project: Project, actor: Actor, { name, tag }: StatusRef): Promise<boolean> {
    if (tag) return mayCreateTag(project, actor, name)
    return (await mayPush(project, actor, name)) || mayMerge(project, actor, name)
  }

  return {
    /**
     * A page of the statuses of a commit, the latest of each name unless all are asked for.
     * @throws ApiError 403 for those who may not read the pipelines; 404 Commit
     */
    async list(
      project: Project,
      actor: Actor,
      revision: string,
      filter: StatusFilter,
      page: PageRequest,
    ): Promise<Page<PresentedStatus>> {
      if (!mayReadBuilds(actor, project)) throw forbidden()
      const { oid } = await requireCommit(await openRepository(needs, project), revision)
      const found = await pageOfStatuses(database.read, { projectId: project.id, sha: oid, filter }, page)
      return { ...found, items: await present(found.items) }
    },

    /**
     * Takes the state that another system reports of a commit.
     * @throws ApiError 403, 404 Commit or References for commit, 400
     */
    async set(project: Project, actor: Actor, revision: string, given: GivenStatus): Promise<PresentedStatus> {
      if (!hasBuilds(project)) throw forbidden()
      coverageOf(given)
      const opened = await openRepository(needs, project)
      const { oid } = await requireCommit(opened, revision)
      const ref = await refOf(opened, project.id, oid, given)
      if (!(await mayRun(project, actor, ref))) throw forbidden()
      const report: Report = {
        ...{ project, sha: oid, ref, name: nameOf(given), state: given.state, details: detailsOf(given) },
        userId: actor.kind === 'user' ? actor.userId : null,
        pipelineId: given.pipeline_id,
      }
      const moment = now(clock)
      const row = await database.write(async (tx) => {
        // Two first reports at once are to meet in one pipeline.
        await holdName(tx, `commit_statuses:${project.id}:${oid}`)
        const pipeline = await pipelineFor(tx, report, moment)
        const status = await record(tx, report, pipeline, moment)
        await follow(tx, pipeline, moment)
        return status
      })
      const [presented] = await present([row])
      return presented as PresentedStatus
    },
  }
}
