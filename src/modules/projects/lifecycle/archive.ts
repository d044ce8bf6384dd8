import { type Actor, failure, forbidden } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import type { Project } from '../core/access.ts'
import { updateProject } from '../core/store.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'
import { heldInTree } from './relocation.ts'

const causedAbove = () => failure(422, 'Cannot unarchive project since one of the ancestors is archived.')

/** @throws ApiError 422 while it is archived because a group above it is */
export async function requireOwnArchive({ archived_by_group: isInherited }: Project): Promise<void> {
  if (isInherited) throw causedAbove()
}

/**
 * Archives or unarchives a project itself; does nothing when it is in that state already (contract 21, x.projects_archive).
 * @throws ApiError 403 while it is marked for deletion; 422 for an end of what a group above it causes (contract 26.18)
 */
export async function setArchived(
  platform: Platform,
  project: Project,
  archived: boolean,
  { actor, act }: { actor: Actor; act: Act },
): Promise<PresentedProject> {
  const { database, clock } = platform
  const row = await database.write(async (tx) => {
    const { row: held, namespace } = await heldInTree(tx, project)
    if (held.marked_for_deletion_on !== null) throw forbidden()
    if (!archived && namespace.archived) throw causedAbove()
    if (held.archived === archived && !held.archived_by_group) return held
    await act(tx)
    return (await updateProject(tx, held.id, { archived, archived_by_group: false, updated_at: now(clock) })) ?? held
  })
  return presentProject(platform, { ...row, role: project.role }, actor)
}
