import { type ParamValues, t } from '../../../api/index.ts'

const largestInteger = 2_147_483_647
const count = (description?: string) => t.integer({ minimum: 0, maximum: largestInteger, description })

/** Lines of the profile; see `lineProblems`. */
const lineParams = {
  bio: t.nullable(t.string()),
  location: t.nullable(t.string()),
  skype: t.string(),
  linkedin: t.string(),
  twitter: t.string(),
  discord: t.string(),
  website_url: t.string(),
  organization: t.nullable(t.string()),
  job_title: t.nullable(t.string()),
  pronouns: t.nullable(t.string()),
}

export const lineNames = Object.keys(lineParams) as (keyof typeof lineParams)[]

/** Stored in the column `users.profile`. */
const profileParams = {
  ...lineParams,
  commit_email: t.string({ description: 'A confirmed address of the user, or `_private`.' }),
  theme_id: t.integer({ minimum: 1, maximum: 11 }),
  color_scheme_id: t.integer({ minimum: 1, maximum: 6 }),
  view_diffs_file_by_file: t.boolean(),
  auditor: t.boolean({ description: 'Only `false`: there are no auditors.' }),
  shared_runners_minutes_limit: t.nullable(count()),
  extra_shared_runners_minutes_limit: t.nullable(count()),
}

/** Parameters of both creating and changing a user (contract 20, x.users_create, x.users_update). */
const commonParams = {
  password: t.string(),
  admin: t.boolean(),
  external: t.boolean(),
  can_create_group: t.boolean(),
  private_profile: t.boolean(),
  projects_limit: count('How many projects may be in the personal namespace.'),
  extern_uid: t.string({ maxLength: 255 }),
  provider: t.string({ maxLength: 255 }),
  public_email: t.nullable(t.string({ description: 'A confirmed address of the user, or empty.' })),
  note: t.nullable(t.string({ maxLength: 1_048_576 })),
  avatar: t.file({ description: 'A picture of at most 200 KiB; empty removes the present one.' }),
  ...profileParams,
}

export const newUser = {
  email: t.required(t.string()),
  name: t.required(t.string()),
  username: t.required(t.string()),
  reset_password: t.boolean({ description: 'As `force_random_password`; no mail is sent.' }),
  force_random_password: t.boolean(),
  skip_confirmation: t.boolean(),
  ...commonParams,
}

export const userChanges = {
  email: t.string(),
  name: t.string(),
  username: t.string(),
  skip_reconfirmation: t.boolean(),
  ...commonParams,
}

export type NewUser = ParamValues<typeof newUser>
export type UserChanges = ParamValues<typeof userChanges>
type ProfileInput = ParamValues<typeof profileParams>

/** Optional fields of a user. */
export type Profile = ProfileInput & {
  show_whitespace_in_diffs?: boolean
  pass_user_identities_to_ci_jwt?: boolean
  /** A new address that becomes `email` once it is confirmed. */
  unconfirmed_email?: string
}

/** The given parameters that are stored in `users.profile`. */
export function profileOf(input: ProfileInput): Profile {
  const given = (Object.keys(profileParams) as (keyof ProfileInput)[]).filter((name) => input[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, input[name]]))
}
