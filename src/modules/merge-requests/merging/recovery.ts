import { parseOid } from '../../../infra/git/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { tipsOf } from '../heads/heads.ts'
import type { MergeRequestRow } from '../tables.ts'
import { autoMergeJob } from './auto-merge.ts'
import { cleanUp } from './clean-up.ts'
import { finishMerge } from './finish.ts'
import { abandonMerge, unfinishedMerges } from './store.ts'

/** No merge takes longer between the lock and the move of the target branch: its process has ended. */
const abandonedMs = 5 * 60_000

/** Settles a merge whose process was killed, by the state of the repository (contract 19, `locked`). */
async function settle(platform: Platform, project: ProjectRow, row: MergeRequestRow): Promise<void> {
  const { merging } = row
  const target = parseOid(merging?.target ?? '')
  const { repository } = await openRepository(platform, project)
  const tip = (await tipsOf(repository, [row.target_branch])).get(row.target_branch)
  const exists = target !== null && (await repository.commits([target])).has(target)
  const isMerged = Boolean(exists && tip && (await repository.isAncestor(target, tip)))
  await platform.database.write(async (tx) => {
    if (!isMerged || !merging) {
      await abandonMerge(tx, row.id, 'The merge was interrupted. Please try again.')
      if (row.auto_merge) await enqueue(platform, tx, autoMergeJob, { mergeRequestId: row.id })
      return
    }
    const { userId, mergeCommit, squashCommit } = merging
    await finishMerge(platform, tx, { row, userId, mergeCommit, squashCommit, isByHand: false })
  })
}

async function recover(platform: Platform, row: MergeRequestRow): Promise<void> {
  const project = await projectById(platform.database.read, row.project_id)
  if (!project) return
  if (row.state === 'locked') await settle(platform, project, row)
  await cleanUp(platform, project, row.id)
}

/**
 * Ends the merges that began before a time and are not over. At the start those are of processes that were killed; a merge of
 * another process that is still running is recorded by its own move of the branch nevertheless.
 */
export async function recoverMerges(platform: Platform, before: Date): Promise<void> {
  for (const row of await unfinishedMerges(platform.database.read)) {
    if (row.merging && Date.parse(row.merging.startedAt) > before.getTime()) continue
    await recover(platform, row).catch((error) => {
      platform.log.error({ err: error, mergeRequest: row.id }, 'an interrupted merge could not be settled')
    })
  }
}

/** Settles interrupted merges at the start (contract 19, "Rules and state machines"). */
export const recoverMergesAtStart = (platform: Platform) => recoverMerges(platform, platform.clock.now())

/** Settles the merges of other processes that were killed and do not start again. */
export const recoverMergesJob: Job<null> = {
  kind: 'merge_requests.recover',
  every: { seconds: 60 },
  run: (platform) => recoverMerges(platform, new Date(platform.clock.now().getTime() - abandonedMs)),
}
