import { type Actor, failure, requireSignedIn, unauthorized } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, type Incoming, type Oid, RefConflict } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  changeRefs,
  type OpenedRepository,
  oneAtATime,
  openRepositoryForWriting,
  RefRefused,
  writerOf,
} from '../../../platform/repositories/index.ts'
import { type ProjectRow, settingOf, settingsOf } from '../../projects/index.ts'
import { mayMerge } from '../../protected-branches/index.ts'
import { upToDate } from '../core/single.ts'
import { currentHeads, type Heads } from '../heads/heads.ts'
import { type DetailedStatus, detailedStatus, statusFacts } from '../mergeability/status.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { cleanUp } from './clean-up.ts'
import { type MergeCommits, writeMerge } from './commits.ts'
import { planOf } from './plan.ts'
import { abandonMerge, startMerge } from './store.ts'

/** How a merge is asked for (contract 19, x.mr_merge). */
export type MergeRequestOptions = {
  merge_commit_message?: string
  squash_commit_message?: string
  squash?: boolean
  should_remove_source_branch?: boolean
  sha?: string
}

const cannotMerge = () => failure(422, 'Branch cannot be merged')
const cannotMergeNow = () => failure(405, '405 Method Not Allowed')

/** The statuses that are answered by 422; all others besides `mergeable` by 405. */
const gitStatuses: readonly DetailedStatus[] = ['conflict', 'need_rebase']

/** @throws ApiError 405, 422 unless the status allows a merge */
export function requireMergeable(status: DetailedStatus): void {
  if (status === 'mergeable') return
  throw gitStatuses.includes(status) ? cannotMerge() : cannotMergeNow()
}

/** @throws ApiError 409 when the caller has seen another head */
export function requireHead(row: Pick<MergeRequestRow, 'sha'>, sha: string | undefined): void {
  if (sha === undefined || sha === '' || sha === row.sha) return
  throw failure(409, `SHA does not match HEAD of source branch: ${row.sha}`)
}

/** The commits of a merge that were written before, onto a head of the target branch: a merge train has tested them. */
type PreparedMerge = {
  base: Oid
  commits: MergeCommits
  /** Runs in the transaction that begins the merge, which it ends by what it throws. */
  claim(tx: Tx): Promise<void>
}

/** A project as if it required no pipeline: for what waits for one itself. */
export function withoutPipelines<P extends ProjectRow>(project: P): P {
  return { ...project, settings: { ...project.settings, only_allow_merge_if_pipeline_succeeds: false } }
}

/** The status of a merge request as of now. */
export async function statusOf(platform: Platform, { project, row }: ProjectMergeRequest): Promise<DetailedStatus> {
  const facts = await statusFacts(platform, new Map([[project.id, project]]), [row])
  return detailedStatus(row, facts(row))
}

/** @throws ApiError 405 while the request is on a merge train that none may pass (contract 26 R3) */
function requireOffTrain({ project, row }: ProjectMergeRequest): void {
  const isOnTrain = row.auto_merge?.train === 'entered'
  if (isOnTrain && !settingOf(project, 'merge_trains_skip_train_allowed')) throw cannotMergeNow()
}

/** @throws ApiError 401 unless the caller may merge into the target branch (contract 19, "Permissions") */
export async function requireMerger(platform: Platform, { project, row }: ProjectMergeRequest, actor: Actor) {
  if (!(await mayMerge(platform, project, actor, row.target_branch))) throw unauthorized()
}

type Attempt = {
  found: ProjectMergeRequest
  actor: Actor
  opened: OpenedRepository
  heads: { source: Oid; target: Oid }
  options: MergeRequestOptions
  prepared: PreparedMerge | undefined
}

/** Moves the target branch; the listener of the gate marks the request as merged in the same transaction. */
async function moveTarget(platform: Platform, attempt: Attempt, commits: MergeCommits, incoming?: Incoming) {
  const { found, actor, opened, heads, options, prepared } = attempt
  const { row } = found
  const ref = branchRef(row.target_branch)
  if (!ref) throw cannotMerge()
  const { userId, administrator } = requireSignedIn(actor)
  const process = platform.presence.name()
  const merging = { userId, administrator, ...commits, startedAt: now(platform.clock), process }
  const remove = options.should_remove_source_branch ?? null
  await platform.database.write(async (tx) => {
    if (!(await startMerge(tx, row, merging, remove))) throw cannotMergeNow()
    await prepared?.claim(tx)
  })
  const change = { ref, old: heads.target, new: commits.target }
  const writer = {
    ...writerOf(actor),
    merging: { mergeRequestId: row.id, mergeCommit: commits.mergeCommit, squashCommit: commits.squashCommit },
  }
  await changeRefs(platform, opened.row, [change], writer, incoming).catch(async (error: unknown) => {
    const isRefusal = error instanceof RefRefused || error instanceof RefConflict
    const reason = error instanceof RefRefused ? error.message : 'The target branch could not be moved.'
    await platform.database.write((tx) => abandonMerge(tx, row.id, reason))
    if (isRefusal) throw Object.assign(cannotMerge(), { cause: error })
    throw error
  })
}

async function attemptMerge(platform: Platform, attempt: Attempt): Promise<void> {
  const { opened, found, actor, heads, options, prepared } = attempt
  if (prepared) {
    if (prepared.base !== heads.target) throw cannotMerge()
    return moveTarget(platform, attempt, prepared.commits)
  }
  const { merge_method: method } = settingsOf(found.project)
  const plan = await planOf(platform, found, actor, { ...heads, method, repository: opened.repository }, options)
  await opened.repository.withIncoming(async (incoming) => {
    const commits = await writeMerge({ repository: opened.repository, incoming, plan })
    if (!commits) throw cannotMerge()
    await moveTarget(platform, attempt, commits, incoming)
  })
}

function bothOf({ source, target }: Heads): { source: Oid; target: Oid } {
  if (!source || !target) throw cannotMergeNow()
  return { source, target }
}

/**
 * Merges a request (contract 19, "Merge step"). The merges of a project follow one another; the target moves by
 * compare-and-set, so a push in between lets the merge fail, and commits that were not checked are never merged.
 * @param prepared commits whose pipeline has succeeded: no other is asked for
 * @throws ApiError 401, 405, 409, 422
 */
export async function merge(
  platform: Platform,
  asked: ProjectMergeRequest,
  actor: Actor,
  options: MergeRequestOptions,
  prepared?: PreparedMerge,
): Promise<MergeRequestRow> {
  await requireMerger(platform, asked, actor)
  const { row: repository } = await openRepositoryForWriting(platform, asked.project)
  return oneAtATime(platform, repository.id, async () => {
    const found = { ...asked, row: await upToDate(platform, asked) }
    await requireMerger(platform, found, actor)
    if (!prepared) requireOffTrain(found)
    requireMergeable(
      await statusOf(platform, prepared ? { ...found, project: withoutPipelines(found.project) } : found),
    )
    requireHead(found.row, options.sha)
    const opened = await openRepositoryForWriting(platform, found.project)
    const heads = bothOf(await currentHeads(opened.repository, found.row))
    requireHead({ sha: heads.source }, found.row.sha)
    await attemptMerge(platform, { found, actor, opened, heads, options, prepared })
    await cleanUp(platform, found.project, found.row.id)
    return upToDate(platform, found)
  })
}
