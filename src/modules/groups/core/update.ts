import { type Actor, forbidden, invalid, isAdministrator, notFound } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  holdTree,
  isPathTaken,
  moveNamespace,
  type NamespaceRow,
  namespaceById,
  updateNamespace,
} from '../../namespaces/index.ts'
import { putAvatar, readAvatar, removeOtherAvatars } from '../../users/index.ts'
import type { Group } from '../access.ts'
import { changedSettings, settingProblems, settingsOfGroup } from '../settings/settings.ts'
import { settingChangesOf } from './changes.ts'
import { groupDetailOf } from './detail.ts'
import type { GroupChanges } from './params.ts'
import { hasMoreVisible, isNameTaken } from './store.ts'
import {
  descriptionProblems,
  nameProblems,
  onlyProblems,
  type Problems,
  pathProblems,
  taken,
  takenField,
  visibilityProblems,
} from './validation.ts'
import { refusedLevels } from './visibility.ts'

type Change = {
  actor: Actor
  params: GroupChanges
  avatar: string | null | undefined
  restricted: readonly NamespaceRow['visibility'][]
}

async function problemsOf(
  tx: Tx,
  row: NamespaceRow,
  parent: NamespaceRow | null,
  { actor, params, restricted }: Change,
): Promise<Problems> {
  const { name = row.name, path = row.path, visibility = row.visibility } = params
  const renamed = name !== row.name
  const moved = path !== row.path
  const differs = path.toLowerCase() !== row.path.toLowerCase()
  const fullPath = parent ? `${parent.full_path}/${path}` : path
  const nameTaken = renamed && (await isNameTaken(tx, row.parent_id, name, row.id))
  const pathTaken = differs && (await isPathTaken(tx, fullPath))
  const refused = refusedLevels(actor, restricted)
  return onlyProblems({
    name: renamed ? [...nameProblems(name), ...(nameTaken ? [taken] : [])] : [],
    path: moved ? [...pathProblems(path, parent), ...(pathTaken ? [taken] : [])] : [],
    description: descriptionProblems(params.description ?? ''),
    visibility_level:
      visibility === row.visibility
        ? []
        : [...visibilityProblems(visibility, parent, refused), ...(await visibilityBelow(tx, row.id, visibility))],
  })
}

async function visibilityBelow(tx: Tx, id: number, visibility: NamespaceRow['visibility']): Promise<string[]> {
  const { subgroups, projects } = await hasMoreVisible(tx, id, visibility)
  const because = (what: string) => `${visibility} is not allowed since ${what} with higher visibility.`
  return [
    ...(projects ? [because('this group contains projects')] : []),
    ...(subgroups ? [because('there are sub-groups')] : []),
  ]
}

async function change(platform: Platform, tx: Tx, group: Group, wanted: Change): Promise<NamespaceRow> {
  const { actor, params, avatar } = wanted
  const row = await holdTree(tx, group.id)
  if (!row || row.pending_delete) throw notFound('Group')
  if (row.marked_for_deletion_on !== null) throw forbidden()
  const parent = row.parent_id === null ? null : await namespaceById(tx, row.parent_id)
  const changes = settingChangesOf(params, isAdministrator(actor))
  const found = { ...(await problemsOf(tx, row, parent, wanted)), ...settingProblems(changes) }
  if (Object.keys(found).length > 0) throw invalid(found)
  const { name = row.name, path = row.path, visibility, description } = params
  if (name !== row.name || path !== row.path) await moveNamespace(platform, tx, row, { name, path, parent })
  const columns = {
    visibility,
    description: description === null ? '' : description,
    avatar,
    settings: JSON.stringify(changedSettings(settingsOfGroup(row), changes)),
  }
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
  return updateNamespace(tx, row.id, given, now(platform.clock))
}

/**
 * Changes a group (contract 21, x.groups_update).
 * @throws ApiError 400 with the problems by field
 */
export async function changeGroup(platform: Platform, actor: Actor, group: Group, params: GroupChanges) {
  const { database, settings } = platform
  const uploaded = params.avatar ? await readAvatar(params.avatar) : undefined
  if (uploaded) await putAvatar(platform, 'group', group.id, uploaded)
  const avatar = params.avatar === '' ? null : uploaded?.name
  const { restricted_visibility_levels: restricted } = await settings.current()
  const row = await database
    .write((tx) => change(platform, tx, group, { actor, params, avatar, restricted }))
    .catch(async (error) => {
      if (uploaded) await removeOtherAvatars(platform, 'group', group.id, group.avatar)
      const found = takenField(error)
      throw found ? invalid(found) : error
    })
  if (avatar !== undefined) await removeOtherAvatars(platform, 'group', group.id, avatar)
  return groupDetailOf(platform, actor, row)
}
