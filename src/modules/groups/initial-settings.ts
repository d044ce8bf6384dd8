import { isDeepStrictEqual } from 'node:util'
import type { InstanceSettings } from '../settings/index.ts'
import { protectionOfLevel } from './branch-protection.ts'
import { type GroupSettings, groupSettings, type projectCreationLevels, settingsOfGroup } from './settings.ts'

/** What the numbers of the instance's `default_project_creation` stand for (contract 20, "Application settings"). */
const creationLevels: readonly (typeof projectCreationLevels)[number][] = [
  'noone',
  'maintainer',
  'developer',
  'administrator',
  'owner',
]

/** The settings with which a group begins where the request says nothing: those that the instance names. */
export function initialSettings(rules: InstanceSettings): GroupSettings {
  const { default_branch_protection_defaults: protection, default_branch_protection: level } = rules
  const isNamed = !isDeepStrictEqual(protection, groupSettings.default_branch_protection_defaults.default)
  return {
    ...settingsOfGroup({ settings: {} }),
    project_creation_level: creationLevels[rules.default_project_creation] ?? 'developer',
    default_branch_protection_defaults: isNamed ? protection : protectionOfLevel(level),
  }
}
