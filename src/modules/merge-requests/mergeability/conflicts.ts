import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { upToDate } from '../core/single.ts'
import { storedHeads } from '../heads/heads.ts'
import type { ProjectMergeRequest } from '../subject.ts'
import { conflictsBetween } from './check.ts'

/** The files in which a merge would conflict; none of a merge request that is not open (contract 19, x.mr_conflicts). */
export async function listConflicts(platform: Platform, found: ProjectMergeRequest) {
  const row = await upToDate(platform, found)
  const { source, target } = storedHeads(row)
  if (row.state !== 'opened' || !row.has_conflicts || !source || !target) return { files: [] }
  const { repository } = await openRepository(platform, found.project)
  return { files: (await conflictsBetween(repository, source, target)).map((path) => ({ path })) }
}
