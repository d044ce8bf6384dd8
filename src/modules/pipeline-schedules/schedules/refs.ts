import { invalid, parameterError } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import type { Project } from '../../projects/index.ts'

/** A ref as schedules store it. */
export type ScheduleRef = { ref: string; tag: boolean }

const full = /^refs\/(heads|tags)\/(.+)$/s

/** The short name of a stored ref; without a prefix it counts as a branch. */
export function shortRef(ref: string): ScheduleRef {
  const [, kind, name] = full.exec(ref) ?? []
  return { ref: name ?? ref, tag: kind === 'tags' }
}

/**
 * Expands a short name to a full ref (contract 04, "Ref expansion"). A full ref need not exist.
 * @throws ApiError 400 for an empty or ambiguous name
 */
export async function expandRef(platform: Platform, project: Project, given: string): Promise<string> {
  const ref = given.trim()
  if (ref === '') throw parameterError('ref', 'is empty')
  if (full.test(ref)) return ref
  const { snapshot } = await openRepository(platform, project)
  const [branch, tag] = [snapshot.branch(ref) !== null, snapshot.tag(ref) !== null]
  if (branch && tag) throw invalid({ ref: ['is ambiguous'] })
  return branch ? `refs/heads/${ref}` : tag ? `refs/tags/${ref}` : ref
}
