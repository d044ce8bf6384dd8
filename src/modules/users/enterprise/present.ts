import { anonymous, type TSchema, Type } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { loadUserFacts } from '../directory/facts.ts'
import { fields, presentingUsers, type Shown } from '../directory/fields.ts'
import type { UserRow } from '../tables.ts'

/** The members in the order of contract 13, EnterpriseUser. */
const names = [
  'id',
  'username',
  'name',
  'state',
  'locked',
  'avatar_url',
  'web_url',
  'created_at',
  'bio',
  'location',
  'public_email',
  'skype',
  'linkedin',
  'twitter',
  'website_url',
  'organization',
  'job_title',
  'pronouns',
  'bot',
  'work_information',
  'followers',
  'following',
  'local_time',
  'last_sign_in_at',
  'confirmed_at',
  'last_activity_on',
  'email',
  'theme_id',
  'color_scheme_id',
  'projects_limit',
  'current_sign_in_at',
  'identities',
  'can_create_group',
  'can_create_project',
  'two_factor_enabled',
  'external',
  'private_profile',
  'commit_email',
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
  'scim_identities',
] as const

const shown = names.flatMap((name) => {
  const field = fields[name]
  return field ? [{ name, field }] : []
})

/** A user as the owners of its enterprise group see it, private attributes included (contract 13). */
export const EnterpriseUser = Type.Object(
  Object.fromEntries(shown.map(({ name, field }): [string, TSchema] => [name, field.schema])),
  { title: 'EnterpriseUser' },
)

function present(user: Shown): Record<string, unknown> {
  const members = Object.fromEntries(shown.map(({ name, field }) => [name, field.read(user)]))
  // Defaults that differ from those of other user objects.
  return { ...members, public_email: user.user.public_email ?? '', theme_id: user.user.profile.theme_id ?? 1 }
}

/** Presents users to the owners of their group, with a fixed number of queries. */
export async function presentEnterpriseUsers(platform: Platform, users: readonly UserRow[]) {
  const [facts, presenting] = await Promise.all([
    loadUserFacts(platform.database.read, 'own', users, anonymous),
    presentingUsers(platform),
  ])
  return users.map((user) => present({ user, facts, presenting, readsProfile: true }))
}
