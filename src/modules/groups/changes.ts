import type { UploadedFile } from '../../api/index.ts'
import type { Visibility } from '../namespaces/index.ts'
import { protectionOfLevel } from './branch-protection.ts'
import { administratorSettings, type GroupSettingChanges, laterAdministratorSettings } from './settings.ts'

/** What a request gives of a group, when it is made or changed. */
export type GroupParams = GroupSettingChanges & {
  name?: string
  path?: string
  description?: string | null
  visibility?: Visibility
  emails_disabled?: boolean
  default_branch_protection?: number
  avatar?: UploadedFile | ''
}

const keptForAdministrators = Object.keys({ ...administratorSettings, ...laterAdministratorSettings })

/**
 * The settings among what a request gives. Older names are turned into the newer ones, which win when both are given; what
 * only administrators may set is left out for others.
 */
export function settingChangesOf(params: GroupParams, administrator: boolean): GroupSettingChanges {
  const { emails_disabled: disabled, default_branch_protection: level } = params
  const changes: Record<string, unknown> = { ...params }
  if (changes.emails_enabled === undefined && disabled !== undefined) changes.emails_enabled = !disabled
  if (level !== undefined) {
    changes.default_branch_protection_defaults = {
      ...protectionOfLevel(level),
      ...params.default_branch_protection_defaults,
    }
  }
  if (!administrator) for (const name of keptForAdministrators) delete changes[name]
  return changes as GroupSettingChanges
}
