import type { Reader } from '../../../infra/database/index.ts'
import { type MemberRow, ownersOfGroup, roleName } from '../../access/index.ts'
import type { KeyRow } from '../../keys/index.ts'
import { type NamespaceRow, namespaceById } from '../../namespaces/index.ts'
import { type ProjectRow, projectById } from '../../projects/index.ts'
import { type UserRow, usersByIds } from '../../users/index.ts'
import { shownEmail, toTheSecond } from './parts.ts'

/** Owners of a group that are shown. */
const mostOwners = 20

/** The head of payloads that name their event, and no `object_kind`. */
function head(event_name: string, row: { created_at: string; updated_at?: string }) {
  return {
    event_name,
    created_at: toTheSecond(row.created_at),
    updated_at: toTheSecond(row.updated_at ?? row.created_at),
  }
}

const lastOf = (fullPath: string) => fullPath.slice(fullPath.lastIndexOf('/') + 1)

/** The payload of a project that was created, changed, moved or deleted (contract 21 R7, `Project Hook`, `System Hook`). */
export async function projectEvent(db: Reader, row: ProjectRow, event: string, more: object = {}) {
  const namespace = await namespaceById(db, row.namespace_id)
  const ownerIds = namespace?.owner_id ? [namespace.owner_id] : await ownersOfGroup(db, row.namespace_id, mostOwners)
  const users = await usersByIds(db, ownerIds)
  const owners = ownerIds.flatMap((id) => users.get(id) ?? [])
  const [owner] = namespace?.owner_id ? owners : []
  return {
    ...head(event, row),
    name: row.name,
    // The path of a project that is being renamed is changed after its full path.
    path: lastOf(row.full_path),
    path_with_namespace: row.full_path,
    project_id: row.id,
    project_namespace_id: row.namespace_id,
    owner_name: owner?.name ?? namespace?.name ?? null,
    owner_email: owner ? shownEmail(owner) : '',
    owners: owners.map((user) => ({ name: user.name, email: shownEmail(user) })),
    project_visibility: row.visibility,
    ...more,
  }
}

/** The payload of a group, for hooks of the instance. */
export function groupEvent(row: NamespaceRow, event: string, more: object = {}) {
  const { name, path, full_path, id: group_id } = row
  return { ...head(event, row), name, path, full_path, group_id, ...more }
}

/** The payload of a group below another one, for hooks of groups (`Subgroup Hook`); null of a top-level group. */
export async function subgroupEvent(db: Reader, row: NamespaceRow, event: string) {
  const parent = row.parent_id === null ? null : await namespaceById(db, row.parent_id)
  if (!parent) return null
  return groupEvent(row, event, {
    parent_group_id: parent.id,
    parent_name: parent.name,
    parent_path: parent.path,
    parent_full_path: parent.full_path,
  })
}

function memberUser(user: UserRow) {
  const { id: user_id, name: user_name, username: user_username } = user
  return { user_username, user_name, user_email: shownEmail(user), user_id }
}

/** The payload of a membership (`Member Hook`, `System Hook`); null when its user or its place is gone. */
export async function memberEvent(db: Reader, row: MemberRow, events: { project: string; group: string }) {
  const user = (await usersByIds(db, [row.user_id])).get(row.user_id)
  if (!user) return null
  const level = roleName(row.access_level)
  if (row.project_id !== null) {
    const project = await projectById(db, row.project_id)
    return (
      project && {
        ...head(events.project, row),
        project_name: project.name,
        project_path: project.path,
        project_path_with_namespace: project.full_path,
        project_id: project.id,
        ...memberUser(user),
        access_level: level,
        project_visibility: project.visibility,
      }
    )
  }
  const group = row.namespace_id === null ? null : await namespaceById(db, row.namespace_id)
  return (
    group && {
      ...head(events.group, row),
      group_name: group.name,
      group_path: group.path,
      group_id: group.id,
      ...memberUser(user),
      group_access: level,
      group_plan: null,
      expires_at: row.expires_at && `${row.expires_at}T00:00:00Z`,
    }
  )
}

/** The payload of a user, for hooks of the instance. */
export function userEvent(user: UserRow, event: string, more: object = {}) {
  const { name, email, id: user_id, username } = user
  return { ...head(event, user), name, email, user_id, username, ...more }
}

/** The payload of an SSH key, for hooks of the instance. */
export function keyEvent(key: KeyRow, user: UserRow, event: string) {
  return { ...head(event, key), username: user.username, key: key.key, id: key.id }
}
