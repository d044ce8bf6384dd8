import { forms, instance, readingUsers, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { changePreferences, getPreferences } from './preferences.ts'

const preferences = {
  view_diffs_file_by_file: t.boolean({ description: 'Whether diffs show one file at a time.' }),
  show_whitespace_in_diffs: t.boolean(),
  pass_user_identities_to_ci_jwt: t.boolean({ description: 'Whether tokens of jobs name your external identities.' }),
}

/** What a user prefers (contract 20, Preferences). */
const Preferences = Type.Object(
  {
    id: forms.id,
    user_id: forms.id,
    view_diffs_file_by_file: Type.Boolean(),
    show_whitespace_in_diffs: Type.Boolean(),
    pass_user_identities_to_ci_jwt: Type.Boolean(),
  },
  { title: 'Preferences' },
)

const shared = { tag: 'Users', path: '/user/preferences', subject: instance, allow: 'authenticated' } as const

export const userPreferencesGet = operation({
  ...shared,
  id: 'user_preferences.get',
  contract: 'x.user_preferences_get',
  method: 'GET',
  summary: 'Get your preferences',
  scopes: readingUsers,
  result: [200, Preferences],
  run: ({ platform, actor }) => getPreferences(platform, actor),
})

export const userPreferencesPut = operation({
  ...shared,
  id: 'user_preferences.put',
  contract: 'x.user_preferences_put',
  method: 'PUT',
  summary: 'Change your preferences',
  scopes: writing,
  params: preferences,
  atLeastOne: Object.keys(preferences) as (keyof typeof preferences)[],
  result: [200, Preferences],
  run: ({ platform, actor, params }) => changePreferences(platform, actor, params),
})
