import { type Actor, isAdministrator } from '../../api/index.ts'
import { type MemberSource, role } from '../access/index.ts'
import type { ProjectOrGroup } from '../projects/index.ts'

/** A group or project with the level of the caller in it. */
export type Source = MemberSource & { level: number }

export function sourceOf({ kind, id, level, project }: ProjectOrGroup): Source {
  return { kind, id, level, namespaceId: project?.namespace_id ?? id }
}

/** The level of the caller; administrators count as owners. */
export function callerLevel(actor: Actor, source: Source): number {
  return isAdministrator(actor) ? role.owner : source.level
}
