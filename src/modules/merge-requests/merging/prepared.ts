import type { UserActor } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { OpenedRepository } from '../../../platform/repositories/index.ts'
import { settingOf } from '../../projects/index.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import type { AutoMerge } from '../tables.ts'
import { type MergeCommits, writeMerge } from './commits.ts'
import { planOf } from './plan.ts'

/**
 * Writes the commits of a merge of a request into any commit, by the method of the project. No ref moves.
 * @param wish the head, and whether it is squashed
 * @returns null on a conflict, and when the method cannot merge into that commit
 */
export async function prepareMerge(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: UserActor,
  { repository }: OpenedRepository,
  { base, wish }: { base: Oid; wish: AutoMerge },
): Promise<MergeCommits | null> {
  const sides = { source: wish.sha as Oid, target: base, repository, method: settingOf(found.project, 'merge_method') }
  const plan = await planOf(platform, found, actor, sides, wish.squash === null ? {} : { squash: wish.squash })
  return repository.withIncoming(async (incoming) => {
    const commits = await writeMerge({ repository, incoming, plan })
    if (commits) await incoming.admit()
    return commits
  })
}
