import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { levelOfVisibility, type NamespaceRow, namespaceById } from '../../namespaces/index.ts'
import { type GroupSettings, settingsOfGroup } from '../settings/settings.ts'

/** Settings that the attributes of a group have in an export. */
export const selfSettings = [
  'request_access_enabled',
  'project_creation_level',
  'subgroup_creation_level',
  'require_two_factor_authentication',
  'two_factor_grace_period',
  'mentions_disabled',
  'emails_enabled',
  'auto_devops_enabled',
  'lfs_enabled',
  'membership_lock',
  'share_with_group_lock',
  'wiki_access_level',
] as const satisfies readonly (keyof GroupSettings)[]

/** A relation that is one row, of the group itself. */
function ofGroup(lineOf: (row: NamespaceRow, settings: GroupSettings) => ExportedLine): ExportedLines {
  return async function* (_platform, db, { id }) {
    const row = await namespaceById(db, id)
    if (row) yield [lineOf(row, settingsOfGroup(row))]
  }
}

/** The attributes of a group, without its name, path and ids (contract 14, `self`). */
export const exportedGroup = ofGroup(({ description, visibility }, settings) => ({
  ...{ description, visibility_level: levelOfVisibility(visibility) },
  ...Object.fromEntries(selfSettings.map((name) => [name, settings[name]])),
}))

/** Settings that stand apart from those of the group (contract 14). */
export const exportedNamespaceSettings = ofGroup((_row, settings) => ({
  prevent_sharing_groups_outside_hierarchy: settings.prevent_sharing_groups_outside_hierarchy,
}))
