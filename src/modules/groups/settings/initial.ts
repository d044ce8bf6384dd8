import { isDeepStrictEqual } from 'node:util'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { protectionOfLevel } from './branch-protection.ts'
import { packageSettingsIn } from './packages.ts'
import { type GroupSettings, groupSettings, type projectCreationLevels, settingsOfGroup } from './settings.ts'

/** Meaning of the numbers of the setting `default_project_creation` (contract 20, "Application settings"). */
const creationLevels: readonly (typeof projectCreationLevels)[number][] = [
  'noone',
  'maintainer',
  'developer',
  'administrator',
  'owner',
]

/** The settings of a new group, from those of the instance; those about packages from its parent (contract 23, package_settings). */
export function initialSettings(rules: InstanceSettings, parent: Pick<NamespaceRow, 'settings'> | null): GroupSettings {
  const { default_branch_protection_defaults: protection, default_branch_protection: level } = rules
  const isNamed = !isDeepStrictEqual(protection, groupSettings.default_branch_protection_defaults.default)
  return {
    ...settingsOfGroup({ settings: {} }),
    ...(parent && packageSettingsIn(settingsOfGroup(parent))),
    project_creation_level: creationLevels[rules.default_project_creation] ?? 'developer',
    default_branch_protection_defaults: isNamed ? protection : protectionOfLevel(level),
  }
}
