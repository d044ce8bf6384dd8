import { isShared } from '../../../infra/database/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { hasIntentOf, openRepository, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { tipsOf } from '../heads/heads.ts'
import type { MergeRequestRow, Merging } from '../tables.ts'
import { autoMergeJob } from './auto-merge.ts'
import { cleanUp } from './clean-up.ts'
import { finishMerge } from './finish.ts'
import { abandonMerge, anyIsMerging, othersAreMerging, unfinishedMerges } from './store.ts'

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

/** Whether the move of the target branch is not settled yet: git of the process that began it may still live. */
async function isMoving({ database }: Platform, { project_id, merging }: MergeRequestRow): Promise<boolean> {
  const repository = await repositoryOfProject(database.read, project_id)
  return repository !== null && hasIntentOf(database.read, repository.id, merging?.process ?? '')
}

async function recover(platform: Platform, row: MergeRequestRow): Promise<void> {
  const project = await projectById(platform.database.read, row.project_id)
  if (!project) return
  if (row.state === 'locked') await settle(platform, project, row)
  await cleanUp(platform, project, row.id)
}

/** Settles the merges that are interrupted and not over. */
async function recoverMerges(
  platform: Platform,
  isInterrupted: (row: MergeRequestRow, merging: Merging) => boolean | Promise<boolean>,
): Promise<void> {
  for (const row of await unfinishedMerges(platform.database.read)) {
    if (!row.merging || !(await isInterrupted(row, row.merging))) continue
    await recover(platform, row).catch((error) => {
      platform.log.error({ err: error, mergeRequest: row.id }, 'an interrupted merge could not be settled')
    })
  }
}

/**
 * Settles the merges of processes that have ended (contract 19, "Rules and state machines"). A merge of a process that only seems to
 * have ended is recorded by its own move of the branch nevertheless.
 */
export async function recoverEndedMerges(platform: Platform): Promise<void> {
  const { presence } = platform
  const ended = new Map<string, boolean>()
  await recoverMerges(platform, async (row, { process = '' }) => {
    const hasEnded = ended.get(process) ?? (await presence.hasEnded(process))
    ended.set(process, hasEnded)
    return hasEnded && !(await isMoving(platform, row))
  })
}

/** Settles the merges of ended processes at the start, and then whenever another process ends. On SQLite there are no others. */
export async function recoverMergesFromNow(platform: Platform): Promise<void> {
  const { database, presence, jobs } = platform
  await recoverEndedMerges(platform)
  if (!isShared(database)) return
  jobs.watch({
    condition: () => othersAreMerging(presence.name()),
    act: () => recoverEndedMerges(platform),
  })
}

/** Settles the merges that take too long, of whichever process: one that lives may have lost its connection to the database. */
export const recoverMergesJob: Job<null> = {
  kind: 'merge_requests.recover',
  every: { seconds: 60 },
  when: anyIsMerging,
  run(platform) {
    const latest = platform.clock.now().getTime() - abandonedMs
    return recoverMerges(platform, (_, { startedAt }) => Date.parse(startedAt) <= latest)
  },
}
