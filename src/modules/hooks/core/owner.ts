import type { ProjectOrGroup } from '../../projects/index.ts'

/** Whose hooks: those of a project, of a group, or of the instance. */
export type HookOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance'; id: null }

export const instanceHooks: HookOwner = { kind: 'instance', id: null }

export function hookOwnerOf({ kind, id }: Pick<ProjectOrGroup, 'kind' | 'id'>): HookOwner {
  return { kind, id }
}

export function ownerOfHook({ project_id, namespace_id }: { project_id: number | null; namespace_id: number | null }) {
  if (project_id !== null) return { kind: 'project', id: project_id } satisfies HookOwner
  return namespace_id === null ? instanceHooks : ({ kind: 'group', id: namespace_id } satisfies HookOwner)
}
