import { invalid, parameterError } from '../../../api/index.ts'
import { branchName, refName, shortRefName, tagName } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'

/** A ref as schedules store it. */
export type ScheduleRef = { ref: string; tag: boolean }

/** The short name of a stored ref; without a prefix it counts as a branch (contract 04, "Ref expansion"). */
export function shortRef(ref: string): ScheduleRef {
  const full = refName(ref)
  return full ? { ref: shortRefName(full), tag: tagName(full) !== null } : { ref, tag: false }
}

/**
 * Expands a short name to a full ref (contract 04, "Ref expansion"). A full ref need not exist.
 * @throws ApiError 400 for an empty or ambiguous name
 */
export async function expandRef(platform: Platform, project: Project, given: string): Promise<string> {
  const ref = given.trim()
  if (ref === '') throw parameterError('ref', 'is empty')
  const full = refName(ref)
  if (full && (branchName(full) ?? tagName(full)) !== null) return ref
  const { snapshot } = await openRepository(platform, project)
  const [branch, tag] = [snapshot.branch(ref) !== null, snapshot.tag(ref) !== null]
  if (branch && tag) throw invalid({ ref: ['is ambiguous'] })
  return branch ? `refs/heads/${ref}` : tag ? `refs/tags/${ref}` : ref
}
