import { forms, notFound, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'
import { resolveRevision } from '../revision.ts'

const weeks = 52
const dayMs = 24 * 60 * 60 * 1_000

/** A week of a history (contract 22, x.repo_commit_activity). */
export const CommitWeek = Type.Object({ week: forms.day, commits: Type.Integer() }, { title: 'CommitWeek' })

/** The first moment of the Monday of a week, in UTC. */
function mondayOf(date: Date): number {
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  return day - ((date.getUTCDay() + 6) % 7) * dayMs
}

/** The numbers of commits of the last 52 weeks, oldest first (x.repo_commit_activity). @throws ApiError 404 for an empty history */
export async function commitActivity(platform: Platform, project: Project, ref: string | undefined) {
  const opened = await openRepository(platform, project)
  const oid = await resolveRevision(opened, ref?.trim() || 'HEAD')
  if (!oid) throw notFound()
  const first = mondayOf(platform.clock.now()) - (weeks - 1) * 7 * dayMs
  const counts = await opened.repository.commitsByWeek(oid, { from: first / 1_000, weeks })
  return counts.map((commits, index) => ({
    week: new Date(first + index * 7 * dayMs).toISOString().slice(0, 10),
    commits,
  }))
}
