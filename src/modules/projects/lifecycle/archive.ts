import { type Actor, forbidden } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { heldProject, type Project } from '../core/access.ts'
import { updateProject } from '../core/store.ts'
import { type PresentedProject, presentProject } from '../present/present.ts'

/**
 * Archives or unarchives a project; does nothing when it is in that state already (contract 21, x.projects_archive).
 * @throws ApiError 403 while it is marked for deletion
 */
export async function setArchived(
  platform: Platform,
  project: Project,
  archived: boolean,
  { actor, act }: { actor: Actor; act: Act },
): Promise<PresentedProject> {
  const { database, clock } = platform
  const row = await database.write(async (tx) => {
    const held = await heldProject(tx, project.id)
    if (held.marked_for_deletion_on !== null) throw forbidden()
    if (held.archived === archived) return held
    await act(tx)
    return (await updateProject(tx, held.id, { archived, updated_at: now(clock) })) ?? held
  })
  return presentProject(platform, { ...row, role: project.role }, actor)
}
