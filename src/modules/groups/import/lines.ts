import { now } from '../../../infra/database/index.ts'
import { BadLine, type ImportedLine, type ImportLine, textOf } from '../../../platform/index.ts'
import {
  namespaceById,
  refusedLevels,
  unrefused,
  updateNamespace,
  visibilityIn,
  visibilityOfLevel,
} from '../../namespaces/index.ts'
import { heldForChange } from '../access.ts'
import { selfSettings } from '../export/lines.ts'
import { changeGroupSettings } from '../settings/changes.ts'
import { type GroupSettingChanges, type GroupSettings, groupSettings } from '../settings/settings.ts'

/** The settings that a line has, as far as they can be read: other servers have other values of some. */
function settingsIn(line: ImportedLine, names: readonly (keyof GroupSettings)[]): GroupSettingChanges {
  const changes: Record<string, unknown> = {}
  for (const name of names) {
    const value = line[name]
    if (value === undefined || value === null) continue
    const problems: { name: string; missing: boolean; text: string }[] = []
    const read = groupSettings[name].param.read(value, name, problems)
    if (problems.length === 0) changes[name] = read
  }
  return changes as GroupSettingChanges
}

/** Imports settings of a group from the only line of a relation. */
const importSettings =
  (names: readonly (keyof GroupSettings)[]): ImportLine =>
  async ({ clock }, into, line) => {
    if (into.kind !== 'group') throw new BadLine('the settings are of a group')
    const changes = settingsIn(line, names)
    return async (tx) => {
      if (Object.keys(changes).length > 0) await changeGroupSettings(tx, into.id, changes, now(clock))
    }
  }

/** Imports the attributes of a group, but for those that it was made with (contract 14, `self`). */
export const importGroupAttributes = importSettings(selfSettings)

/** Imports settings that stand apart from those of the group (contract 14, `namespace_settings`). */
export const importNamespaceSettings = importSettings(['prevent_sharing_groups_outside_hierarchy'])

const longestDescription = 500

/** Imports the description and visibility of a group: at the top level it is private, below another one as open as that allows. */
export const importGroupDescription: ImportLine = async ({ clock, settings }, into, line) => {
  const description = (textOf(line, 'description') ?? '').slice(0, longestDescription)
  const wanted = visibilityOfLevel(line.visibility_level) ?? 'private'
  const refused = refusedLevels(into.importer, (await settings.current()).restricted_visibility_levels)
  return async (tx) => {
    const row = await heldForChange(tx, into.id)
    const parent = row.parent_id === null ? null : await namespaceById(tx, row.parent_id)
    const visibility = parent ? unrefused(visibilityIn(parent, wanted), refused) : row.visibility
    await updateNamespace(tx, into.id, { description, visibility }, now(clock))
  }
}
