import {
  type Actor,
  conflict,
  failure,
  forbidden,
  forms,
  invalid,
  isAdministrator,
  notFound,
  refuse,
  type Static,
  Type,
} from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import { type Act, type Platform, react } from '../../../platform/index.ts'
import {
  deleteGroupLink,
  groupLink,
  insertGroupLink,
  memberRoleProblems,
  requirePermissions,
  role,
} from '../../access/index.ts'
import { ancestorsOf, type NamespaceRow } from '../../namespaces/index.ts'
import { type Project, today } from '../core/access.ts'
import { visibleNamespace } from '../core/destinations.ts'
import { endExpiredShare } from './expiry.ts'
import type { ShareParams } from './params.ts'

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

const ownGroup = 'Project cannot be shared with the group it is in or one of its ancestors.'

const levelOf = (project: Project, actor: Actor) => (isAdministrator(actor) ? role.owner : project.role.level)

/** @throws ApiError 404 when there is no such group, or the actor cannot see it */
async function invitedGroup(platform: Platform, id: number, actor: Actor): Promise<NamespaceRow> {
  const group = await visibleNamespace(platform.database.read, { text: String(id) }, actor, today(platform))
  if (group?.kind !== 'group') throw failure(404, 'Not Found')
  return group
}

/** @throws ApiError 400 when a group above forbids sharing, 409 for one of these groups */
async function requireShareable(db: Reader, project: Project, group: NamespaceRow): Promise<void> {
  const above = await ancestorsOf(db, project.namespace_id)
  if (above.some(({ settings }) => settings.share_with_group_lock === true)) {
    throw failure(400, 'The project sharing with group is disabled')
  }
  if (above.some(({ id }) => id === group.id)) throw conflict(ownGroup)
}

/**
 * Invites a group: its members get a role in the project, up to the level of the invitation (contract 21, x.projects_share).
 * @throws ApiError 403 for a level above the caller's own, or a member role with more permissions; 404, 400, 409 when it is invited already
 */
export async function shareProject(
  platform: Platform,
  project: Project,
  params: ShareParams,
  { actor, act }: { actor: Actor; act: Act },
): Promise<Static<typeof ProjectGroupLink>> {
  const { database, clock } = platform
  const { group_id: groupId, group_access: level, expires_at = null, member_role_id = null } = params
  if (level > levelOf(project, actor)) throw forbidden()
  const { namespace_id: namespaceId, role: standing } = project
  await requirePermissions(database.read, actor, { kind: 'project', namespaceId, standing }, params)
  const group = await invitedGroup(platform, groupId, actor)
  await requireShareable(database.read, project, group)
  const day = today(platform)
  if (expires_at !== null && expires_at <= day) throw invalid({ expires_at: ['cannot be a date in the past'] })
  const link = { group_id: group.id, access_level: level, expires_at, created_at: now(clock), member_role_id }
  const row = await database
    .write(async (tx) => {
      refuse({ member_role: await memberRoleProblems(tx, namespaceId, link) })
      await endExpiredShare(platform, tx, project.id, group.id, day)
      const stored = await insertGroupLink(tx, { project_id: project.id }, link)
      await act(tx, group.id)
      return stored
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? conflict('Group already shared with this group') : error
    })
  return { id: row.id, project_id: project.id, group_id: group.id, group_access: level, expires_at: row.expires_at }
}

/**
 * Ends the invitation of a group (contract 21, x.projects_unshare).
 * @param unmodified throws when the invitation is newer than the caller allows
 * @throws ApiError 404 Group Link, 403 when its level is above the caller's own
 */
export async function unshareProject(
  platform: Platform,
  project: Project,
  groupId: number,
  { actor, unmodified, act }: { actor: Actor; unmodified: (at: string) => void; act: Act },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const link = await claim(tx, 'group_links', () => groupLink(tx, { project_id: project.id }, groupId))
    if (!link) throw notFound('Group Link')
    if (link.access_level > levelOf(project, actor)) throw forbidden()
    unmodified(link.created_at)
    await deleteGroupLink(tx, link.id)
    await react(platform, tx, 'project.unshared', { projectId: project.id, groupId })
    await act(tx, groupId)
  })
}
