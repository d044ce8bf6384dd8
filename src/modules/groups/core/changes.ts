import { protectionOfLevel } from '../settings/branch-protection.ts'
import { administratorSettings, type GroupSettingChanges, laterAdministratorSettings } from '../settings/settings.ts'
import type { GroupChanges, NewGroup } from './params.ts'

const forAdministrators = Object.keys({ ...administratorSettings, ...laterAdministratorSettings })

/**
 * The settings among the parameters of a request. Deprecated names are translated; where both names are given the new one
 * wins. Settings that only administrators can change are left out for others.
 */
export function settingChangesOf(params: NewGroup | GroupChanges, administrator: boolean): GroupSettingChanges {
  const { emails_disabled: disabled, default_branch_protection: level } = params
  const { package_settings_attributes: ofPackages } = params as GroupChanges
  const changes: Record<string, unknown> = { ...params, ...ofPackages }
  if (changes.emails_enabled === undefined && disabled !== undefined) changes.emails_enabled = !disabled
  if (level !== undefined) {
    changes.default_branch_protection_defaults = {
      ...protectionOfLevel(level),
      ...params.default_branch_protection_defaults,
    }
  }
  if (!administrator) for (const name of forAdministrators) delete changes[name]
  return changes as GroupSettingChanges
}
