import { type ParamValues, t } from '../../../api/index.ts'
import { paramsOf, visibilityLevels } from '../../../platform/settings/index.ts'
import { branchProtectionLevels } from '../settings/branch-protection.ts'
import { packageSettingsParam } from '../settings/packages.ts'
import {
  administratorSettings,
  commonSettings,
  laterAdministratorSettings,
  laterSettings,
} from '../settings/settings.ts'

const writable = {
  description: t.nullable(t.string({ description: 'At most 500 characters' })),
  visibility: t.oneOf(visibilityLevels, { description: 'At most that of the parent' }),
  ...paramsOf(commonSettings),
  emails_disabled: t.boolean({ description: 'The opposite of emails_enabled' }),
  default_branch_protection: t.integerOf(branchProtectionLevels, {
    description:
      '0 none; 1 developers push; 2 maintainers push and merge; 3 developers merge; 4 as 2, developers push first',
  }),
  ...paramsOf(administratorSettings),
  avatar: t.file({ description: 'Picture of at most 200 KiB; the empty value removes it' }),
}

/** Parameters of x.groups_create. */
export const newGroup = {
  name: t.required(t.string()),
  path: t.required(t.string()),
  parent_id: t.integer({ description: 'The parent group; without one the group is at the top level' }),
  organization_id: t.integer(),
  ...writable,
}

/** Parameters of x.groups_update. */
export const groupChanges = {
  name: t.string(),
  path: t.string(),
  ...writable,
  ...paramsOf(laterSettings),
  ...paramsOf(laterAdministratorSettings),
  package_settings_attributes: packageSettingsParam,
}
export type NewGroup = ParamValues<typeof newGroup>
export type GroupChanges = ParamValues<typeof groupChanges>
