import { branchName, isZeroOid, refName } from '../../../infra/git/index.ts'
import { type Events, enqueue, type Job, type Reaction } from '../../../platform/index.ts'
import { repositoryById } from '../../../platform/repositories/index.ts'
import { afterPush, pushJob } from '../../events/index.ts'
import { mergeRequestById } from '../../merge-requests/index.ts'
import { requestRef, trainRef } from '../../pipelines/index.ts'
import { environmentsByIds } from '../core/store.ts'
import { environmentsOfBranch } from '../deployments/store.ts'
import { eachByItself, stop } from './stopping.ts'

/** @property iid number of the merge request that has ended, whose pipelines have a ref of their own */
type EndedBranch = { projectId: number; branch: string; userId: number | null; iid?: number }

/** Stops the environments to which a branch was deployed last that has ended (contract 24, Environments in CI). */
export const stopOfBranchJob: Job<EndedBranch> = {
  kind: 'environments.stop_of_branch',
  async run(platform, { projectId, branch, userId, iid }, { signal }) {
    const { database } = platform
    const ids: number[] = []
    for (const ref of [branch, ...(iid === undefined ? [] : [requestRef(iid), trainRef(iid)])]) {
      ids.push(...(await environmentsOfBranch(database.read, projectId, ref)))
    }
    const rows = (await environmentsByIds(database.read, ids)).values()
    const how = { ...(userId === null ? {} : { userId }), isAutomatic: true }
    await eachByItself(platform, rows, signal, (row) => stop(platform, row, how))
  },
}

const isDeleted = (oid: string) => /^0+$/.test(oid)

/** Finds the branches that a push has deleted. */
export const endedBranchesJob = pushJob('pushes.stop_environments', async (platform, push) => {
  const { database } = platform
  const repository = await repositoryById(database.read, push.repository_id)
  const projectId = repository?.kind === 'project' ? repository.project_id : null
  if (projectId === null) return
  for (const { ref, new: now } of push.changes) {
    const name = refName(ref)
    const branch = name && branchName(name)
    if (branch === null || !isDeleted(now)) continue
    const payload = { projectId, branch, userId: push.user_id }
    await database.write((tx) => enqueue(platform, tx, stopOfBranchJob, payload))
  }
})

export const stopOfDeletedBranches = afterPush(endedBranchesJob, (change) => isZeroOid(change.new))

/** Has the environments of the source branch of a merge request stopped that was merged. */
export const stopOfMerged: Reaction<Events['merge_request.merged']> = async (platform, tx, merged) => {
  const row = await mergeRequestById(tx, merged.mergeRequestId)
  if (!row) return
  const payload = { projectId: row.project_id, branch: row.source_branch, userId: merged.userId, iid: row.iid }
  await enqueue(platform, tx, stopOfBranchJob, payload)
}

/** The same, of one that was closed. */
export const stopOfClosed: Reaction<Events['merge_request.saved']> = async (platform, tx, saved) => {
  if (saved.action !== 'close') return
  const { mergeRequestId, projectId, userId } = saved
  await stopOfMerged(platform, tx, { mergeRequestId, projectId, userId, at: '' })
}
