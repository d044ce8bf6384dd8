import { type Actor, failure } from '../../../api/index.ts'
import { refName } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepositoryForWriting, outsideGate } from '../../../platform/repositories/index.ts'
import { personOf } from '../../commits/index.ts'
import { referencesOf } from '../core/present.ts'
import { upToDate } from '../core/single.ts'
import { currentHeads } from '../heads/heads.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import { writeMerge } from './commits.ts'
import { mergeMessage } from './message.ts'

const notMergeable = () => failure(400, 'Merge request is not mergeable')

/**
 * Makes a commit of the merge as it would be, and points `refs/merge-requests/<iid>/merge` at it; a commit of the same two
 * heads is used again (contract 19, x.mr_merge_ref).
 * @throws ApiError 400 on a conflict
 */
export async function trialMerge(platform: Platform, asked: ProjectMergeRequest, actor: Actor) {
  const { project } = asked
  const row = await upToDate(platform, asked)
  const { repository, row: stored } = await openRepositoryForWriting(platform, project)
  const { source, target } = await currentHeads(repository, row)
  const ref = refName(`refs/merge-requests/${row.iid}/merge`)
  if (row.state !== 'opened' || !source || !target || !ref) throw notMergeable()
  const [tip] = await repository.tips([ref])
  const known = tip && (await repository.commits([tip])).get(tip)
  if (known && known.parentOids.join() === [target, source].join()) return { commit_id: known.oid }
  const merger = await personOf(platform, actor)
  const reference = referencesOf(row, project, { kind: 'instance' }).full
  const message = mergeMessage({ row, reference, url: '', closes: [], mergedBy: merger, approvedBy: [], commits: [] })
  const plan = { method: 'merge', source, target, squash: null, merger, message } as const
  return repository.withIncoming(async (incoming) => {
    const commits = await writeMerge({ repository, incoming, plan })
    if (!commits) throw notMergeable()
    await incoming.admit()
    const update = { ref, old: null, new: commits.target }
    await outsideGate(platform, stored, () => repository.updateRefs([update]))
    return { commit_id: commits.target }
  })
}
