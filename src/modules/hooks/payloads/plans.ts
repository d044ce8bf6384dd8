import type { FlagRow } from '../../feature-flags/index.ts'
import type { MilestoneRow } from '../../milestones/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import type { EndingToken } from '../../tokens/index.ts'
import { type Building, type NamedProject, namedProject, oneUserPayload, projectPayload, utc } from './parts.ts'

/** The project or the group of something; null when it is gone. */
async function placeOf(building: Building, row: { project_id: number | null; namespace_id: number | null }) {
  if (row.project_id !== null) {
    const project = await namedProject(building.db, row.project_id)
    return project && { project: projectPayload(building, project) }
  }
  const group = row.namespace_id === null ? null : await namespaceById(building.db, row.namespace_id)
  if (!group) return null
  const { name: group_name, path: group_path, id: group_id, full_path } = group
  return { group: { group_name, group_path, group_id, full_path } }
}

/** The payload of a milestone (contract 21 R7, `Milestone Hook`). */
export async function milestonePayload(
  building: Building,
  row: MilestoneRow,
  action: 'create' | 'close' | 'reopen' | 'delete',
) {
  const place = await placeOf(building, row)
  return (
    place && {
      object_kind: 'milestone',
      event_type: 'milestone',
      ...place,
      object_attributes: {
        id: row.id,
        iid: row.iid,
        title: row.title,
        description: row.description,
        state: row.state,
        created_at: utc(row.created_at),
        updated_at: utc(row.updated_at),
        due_date: row.due_date,
        start_date: row.start_date,
        group_id: row.namespace_id,
        project_id: row.project_id,
      },
      action,
    }
  )
}

/** The payload of a token of a project or group that ends soon (contract 21 R7, `Resource Access Token Hook`). */
export async function tokenPayload(building: Building, row: EndingToken) {
  const place = await placeOf(building, row)
  return (
    place && {
      object_kind: 'access_token',
      ...place,
      object_attributes: {
        user_id: row.user_id,
        created_at: utc(row.created_at),
        id: row.id,
        name: row.name,
        expires_at: row.expires_at,
      },
      event_name: 'expiring_access_token',
    }
  )
}

/** The payload of a feature flag (contract 21 R7, `Feature Flag Hook`). @param userId who switched it */
export async function featureFlagPayload(
  building: Building,
  project: NamedProject,
  { id, name, description, active }: FlagRow,
  userId: number | null,
) {
  const user = await oneUserPayload(building, userId)
  return {
    object_kind: 'feature_flag',
    project: projectPayload(building, project),
    user,
    user_url: user && `${building.externalUrl}/${user.username}`,
    object_attributes: { id, name, description, active },
  }
}
