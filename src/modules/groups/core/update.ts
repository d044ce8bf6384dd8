import { type Actor, invalid, isAdministrator, type Problems, refuse } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Act, type Platform, recordChanges } from '../../../platform/index.ts'
import { settingProblems } from '../../../platform/settings/index.ts'
import {
  moveNamespace,
  type NamespaceRow,
  namespaceById,
  refusedLevels,
  updateNamespace,
  type Visibility,
} from '../../namespaces/index.ts'
import { putAvatar, readAvatar, removeAvatar } from '../../users/index.ts'
import { type Group, heldForChange } from '../access.ts'
import { packageSettingProblems } from '../settings/packages.ts'
import { changedSettings, settingsOfGroup, withoutPackages } from '../settings/settings.ts'
import { settingChangesOf } from './changes.ts'
import { groupDetailOf } from './detail.ts'
import type { GroupChanges } from './params.ts'
import { attributeProblems, takenField } from './validation.ts'

/** npm packages name the path of the top-level group (contract 23 R11). */
async function scopeProblems(platform: Platform, tx: Tx, row: NamespaceRow): Promise<Problems> {
  const isScoped =
    row.parent_id === null &&
    (await platform.ports['groups.scoped_packages'](platform, tx, { groupId: row.id }, row.path))
  return isScoped ? { path: ['cannot change when group contains projects with NPM packages'] } : {}
}

type Change = {
  actor: Actor
  act: Act
  params: GroupChanges
  avatar: string | null | undefined
  restricted: readonly Visibility[]
}

/** What the audit trail tells of a change (contract 26 R5). */
const toldOf = (row: NamespaceRow) => ({
  ...settingsOfGroup(row),
  ...{ name: row.name, path: row.path, visibility: row.visibility },
})

async function change(platform: Platform, tx: Tx, group: Group, wanted: Change): Promise<NamespaceRow> {
  const { actor, act, params, avatar, restricted } = wanted
  const row = await heldForChange(tx, group.id)
  const parent = row.parent_id === null ? null : await namespaceById(tx, row.parent_id)
  const changes = settingChangesOf(params, isAdministrator(actor))
  const { name = row.name, path = row.path, visibility, description } = params
  const refused = refusedLevels(actor, restricted)
  const attributes = { name, path, description, visibility }
  const problems = await attributeProblems(tx, attributes, { parent, refused, before: row })
  refuse({
    ...problems,
    ...settingProblems(withoutPackages, changes),
    ...packageSettingProblems(changes),
    ...(path === row.path ? {} : await scopeProblems(platform, tx, row)),
  })
  if (name !== row.name || path !== row.path) await moveNamespace(platform, tx, row, { name, path, parent })
  const columns = {
    visibility,
    description: description === null ? '' : description,
    avatar,
    settings: JSON.stringify(changedSettings(settingsOfGroup(row), changes)),
  }
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
  const changed = await updateNamespace(tx, row.id, given, now(platform.clock))
  await recordChanges(tx, act, toldOf(row), toldOf(changed))
  return changed
}

/** @throws ApiError 400 for a project of templates that the caller cannot see */
async function requireTemplates(platform: Platform, actor: Actor, id: number | null | undefined): Promise<void> {
  if (!id || (await platform.ports['groups.seen_project'](platform, id, actor)) !== null) return
  throw invalid({ file_template_project_id: ['is invalid'] })
}

/**
 * Changes a group (contract 21, x.groups_update).
 * @throws ApiError 400 with the problems by field
 */
export async function changeGroup(
  platform: Platform,
  { actor, act }: { actor: Actor; act: Act },
  group: Group,
  params: GroupChanges,
) {
  const { database, settings } = platform
  const { file_template_project_id: templates } = params
  if (templates !== settingsOfGroup(group).file_template_project_id) await requireTemplates(platform, actor, templates)
  const uploaded = params.avatar ? await readAvatar(params.avatar) : undefined
  if (uploaded) await putAvatar(platform, 'group', group.id, uploaded)
  const avatar = params.avatar === '' ? null : uploaded?.name
  const { restricted_visibility_levels: restricted } = await settings.current()
  const row = await database
    .write((tx) => change(platform, tx, group, { actor, act, params, avatar, restricted }))
    .catch(async (error) => {
      if (uploaded) await removeAvatar(platform, 'group', group.id, uploaded.name)
      const found = takenField(error)
      throw found ? invalid(found) : error
    })
  if (avatar !== undefined) await removeAvatar(platform, 'group', group.id, group.avatar)
  return groupDetailOf(platform, actor, row)
}
