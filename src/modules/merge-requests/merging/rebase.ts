import { type Actor, dayOf, failure, forbidden, requireSignedIn } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { branchRef, RefConflict } from '../../../infra/git/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { changeRefs, openRepository, RefRefused } from '../../../platform/repositories/index.ts'
import { personOf } from '../../commits/index.ts'
import { projectById, withRole } from '../../projects/index.ts'
import { mayForcePush, mayPush } from '../../protected-branches/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { isRebasing, longestRebaseMs, upToDate } from '../core/single.ts'
import { holdMergeRequest, mergeRequestById, updateMergeRequest } from '../core/store.ts'
import { currentHeads } from '../heads/heads.ts'
import type { ProjectMergeRequest } from '../subject.ts'

type Rebase = { mergeRequestId: number; userId: number; administrator: boolean; startedAt: string; skipCi: boolean }

/** Commits that are replayed at most; more take longer than a rebase may. */
const mostReplayed = 2_000

const failed = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'

/** @throws RefRefused, RefConflict when the branch cannot move @returns null, or why the branch cannot be rebased */
async function rebase(
  platform: Platform,
  { mergeRequestId, userId, administrator, skipCi }: Rebase,
): Promise<string | null> {
  const { database, clock } = platform
  const [row, user] = await Promise.all([
    mergeRequestById(database.read, mergeRequestId),
    userById(database.read, userId),
  ])
  const projectRow = row && (await projectById(database.read, row.project_id))
  if (!row || !projectRow || user?.state !== 'active' || row.state !== 'opened') return failed
  const actor = { ...actingUser(platform, user), administrator }
  const project = await withRole(database.read, projectRow, actor, dayOf(clock.now()))
  const { repository, row: stored } = await openRepository(platform, project)
  const { source, target } = await currentHeads(repository, row)
  const ref = branchRef(row.source_branch)
  if (!source || !target || !ref) return failed
  const oids = await repository.log({ tips: [source], excluded: [target], order: 'topo', limit: mostReplayed + 1 })
  if (oids.length > mostReplayed) return failed
  const committer = await personOf(platform, actor)
  return repository.withIncoming(async (incoming) => {
    const replayed = await incoming.replay({ commits: oids.toReversed(), onto: target, committer })
    if ('conflicting' in replayed) return failed
    if (replayed.head === source) return null
    const writer = { userId, via: 'api', administrator, pushOptions: skipCi ? ['ci.skip'] : [] } as const
    await changeRefs(platform, stored, [{ ref, old: source, new: replayed.head }], writer, incoming)
    return null
  })
}

/** Ends a rebase, unless it took so long that another one has begun. */
async function finish(tx: Tx, { mergeRequestId, startedAt }: Rebase, error: string | null): Promise<void> {
  const row = await mergeRequestById(tx, mergeRequestId)
  if (row?.rebase_started_at !== startedAt) return
  await updateMergeRequest(tx, mergeRequestId, { rebase_started_at: null, merge_error: error })
}

export const rebaseJob: Job<Rebase> = {
  kind: 'merge_requests.rebase',
  queue: 'merges',
  async run(platform, payload) {
    const isLate = Date.parse(payload.startedAt) + longestRebaseMs < platform.clock.now().getTime()
    const error = isLate
      ? failed
      : await rebase(platform, payload).catch((thrown: unknown) => {
          if (thrown instanceof RefRefused || thrown instanceof RefConflict) return failed
          throw thrown
        })
    await platform.database.write((tx) => finish(tx, payload, error))
  },
}

/** @throws ApiError 403 with the reason */
async function requireRebase(platform: Platform, { project, row }: ProjectMergeRequest, actor: Actor): Promise<void> {
  if (!row.source_exists) throw forbidden('Source branch does not exist')
  if (!(await mayPush(platform, project, actor, row.source_branch))) throw forbidden('Cannot push to source branch')
  if (!(await mayForcePush(platform, project, actor, row.source_branch))) {
    throw forbidden('Source branch is protected from force push')
  }
}

const tooSoon = () =>
  failure(409, 'Failed to enqueue the rebase operation, possibly due to a long-lived transaction. Try again later.')

/** Has the source branch rebased onto the target by a job (contract 19, x.mr_rebase). @throws ApiError 403, 405, 409 */
export async function requestRebase(
  platform: Platform,
  asked: ProjectMergeRequest,
  actor: Actor,
  { skip_ci: skipCi = false }: { skip_ci?: boolean },
) {
  const row = await upToDate(platform, asked)
  await requireRebase(platform, { ...asked, row }, actor)
  if (row.state !== 'opened') throw failure(405, '405 Method Not Allowed')
  const { userId, administrator } = requireSignedIn(actor)
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, row.id)
    if (!held || isRebasing(platform, held)) throw tooSoon()
    const payload = { mergeRequestId: row.id, userId, administrator, startedAt: now(platform.clock), skipCi }
    await updateMergeRequest(tx, row.id, { rebase_started_at: payload.startedAt, merge_error: null })
    await enqueue(platform, tx, rebaseJob, payload, { orderKey: `rebase:${row.id}` })
  })
  return { rebase_in_progress: true }
}
