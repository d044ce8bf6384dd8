import type { Actor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { noteAccess } from '../../issuables/index.ts'
import { isPlanner } from '../core/plan.ts'
import { isAuthor, issuableOf, type ProjectMergeRequest } from '../subject.ts'

/** What the caller may do with the notes of a merge request. Its author may resolve threads, too (contract 19, x.mr_disc_resolve). */
export function accessOf({ project, row }: ProjectMergeRequest, actor: Actor, platform: Platform) {
  const mayResolve = isPlanner(actor, project) || isAuthor(actor, row)
  return noteAccess(platform, issuableOf(row), actor, { level: project.role.level, mayResolve })
}
