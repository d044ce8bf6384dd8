import { computed, forms, object, pick } from '../../../api/index.ts'
import { users } from '../directory/fields.ts'
import { OwnUser } from '../directory/present.ts'

const { fields } = OwnUser

/** A user as the owners of its enterprise group see it, private attributes included (contract 13). */
export const EnterpriseUser = object('EnterpriseUser', users, {
  ...pick(
    fields,
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
  ),
  // This default and that of the theme differ from those of other objects.
  public_email: computed(forms.nullableString, ({ public_email }) => public_email ?? ''),
  ...pick(fields, 'skype', 'linkedin', 'twitter', 'website_url', 'organization', 'job_title', 'pronouns', 'bot'),
  ...pick(fields, 'work_information', 'followers', 'following', 'local_time', 'last_sign_in_at', 'confirmed_at'),
  ...pick(fields, 'last_activity_on', 'email'),
  theme_id: computed(forms.nullableInteger, ({ profile }) => profile.theme_id ?? 1),
  ...pick(fields, 'color_scheme_id', 'projects_limit', 'current_sign_in_at', 'identities', 'can_create_group'),
  ...pick(fields, 'can_create_project', 'two_factor_enabled', 'external', 'private_profile', 'commit_email'),
  ...pick(fields, 'shared_runners_minutes_limit', 'extra_shared_runners_minutes_limit', 'scim_identities'),
})
