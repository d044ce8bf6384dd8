import {
  type Actor,
  conflict,
  dayOf,
  failure,
  forbidden,
  forms,
  invalid,
  isAdministrator,
  notFound,
  type Static,
  Type,
} from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import { ancestorsOf, type NamespaceRow } from '../../namespaces/index.ts'
import type { Project } from '../core/access.ts'
import { visibleNamespace } from '../core/destination.ts'
import { deleteLink, insertLink, linkOf } from './store/links.ts'

export type SharingNeeds = {
  database: Database
  clock: Clock
  /** What else ends with the invitation of a group, in the same transaction. */
  unshared?(tx: Tx, projectId: number, groupId: number): Promise<void>
}

export type ShareParams = { group_id: number; group_access: number; expires_at?: string }

/** The invitation of a group to a project (contract 21, ProjectGroupLink). */
export const ProjectGroupLink = Type.Object(
  {
    id: forms.id,
    project_id: forms.id,
    group_id: forms.id,
    group_access: Type.Integer(),
    expires_at: forms.nullableDay,
  },
  { title: 'ProjectGroupLink' },
)

/** Inviting groups to projects (contract 21, x.projects_share, x.projects_unshare). */
export type Sharing = ReturnType<typeof createSharing>

const ownGroup = 'Project cannot be shared with the group it is in or one of its ancestors.'

const levelOf = (project: Project, actor: Actor) => (isAdministrator(actor) ? role.owner : project.role.level)

export function createSharing({ database, clock, unshared }: SharingNeeds) {
  const db = database.read
  const today = () => dayOf(clock.now())

  /** @throws ApiError 404 when there is no such group, or the actor does not see it */
  async function invitedGroup(id: number, actor: Actor): Promise<NamespaceRow> {
    const group = await visibleNamespace(db, { text: String(id) }, actor, today())
    if (group?.kind !== 'group') throw failure(404, 'Not Found')
    return group
  }

  /** @throws ApiError 400 when the groups above keep their projects to themselves, 409 for one of these groups */
  async function requireShareable(project: Project, group: NamespaceRow): Promise<void> {
    const above = await ancestorsOf(db, project.namespace_id)
    if (above.some(({ settings }) => settings.share_with_group_lock === true)) {
      throw failure(400, 'The project sharing with group is disabled')
    }
    if (above.some(({ id }) => id === group.id)) throw conflict(ownGroup)
  }

  return {
    /**
     * Invites a group: its members have a role in the project, up to the level of the invitation.
     * @throws ApiError 403 for a level above the own, 404, 400, 409 when it is invited already
     */
    async share(project: Project, params: ShareParams, actor: Actor): Promise<Static<typeof ProjectGroupLink>> {
      const { group_id: groupId, group_access: level, expires_at = null } = params
      if (level > levelOf(project, actor)) throw forbidden()
      const group = await invitedGroup(groupId, actor)
      await requireShareable(project, group)
      if (expires_at !== null && expires_at <= today()) throw invalid({ expires_at: ['cannot be a date in the past'] })
      const link = { group_id: group.id, project_id: project.id, access_level: level, expires_at }
      const row = await database
        .write((tx) => insertLink(tx, { ...link, created_at: now(clock) }, today()))
        .catch((error) => {
          throw isUniqueViolation(error) ? conflict('Group already shared with this group') : error
        })
      return { id: row.id, project_id: project.id, group_id: group.id, group_access: level, expires_at: row.expires_at }
    },

    /**
     * Ends an invitation.
     * @param requireUnmodified throws when the invitation is newer than the caller allows
     * @throws ApiError 404 Group Link, 403 when it gives more than the actor has
     */
    async unshare(
      project: Project,
      groupId: number,
      actor: Actor,
      requireUnmodified: (createdAt: string) => void,
    ): Promise<void> {
      await database.write(async (tx) => {
        const link = Number.isSafeInteger(groupId) ? await linkOf(tx, project.id, groupId) : null
        if (!link) throw notFound('Group Link')
        if (link.access_level > levelOf(project, actor)) throw forbidden()
        requireUnmodified(link.created_at)
        await deleteLink(tx, link.id)
        await unshared?.(tx, project.id, groupId)
      })
    },
  }
}
