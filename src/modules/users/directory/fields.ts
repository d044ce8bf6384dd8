import { type Actor, computed, fact, forms, isAdministrator, nullable, object, of, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { attributesOfAll } from '../../custom-attributes/index.ts'
import { followsOf } from '../following/store.ts'
import { isLocked } from '../sign-in/sign-in.ts'
import { usersByIds } from '../store.ts'
import type { UserRow } from '../tables.ts'
import { avatarUrl, commitEmail, type PresentingUsers } from './presenting.ts'
import { highestRolesOf, identitiesOf, personalNamespacesOf } from './store/facts.ts'

/** A user inside of other objects (contract 20, User level B). */
export const UserBasic = object('UserBasic', of<UserRow, PresentingUsers>(), {
  id: forms.id,
  username: Type.String(),
  public_email: forms.nullableString,
  name: Type.String(),
  state: Type.String(),
  locked: computed(Type.Boolean(), (user, presenting) => isLocked(user, presenting.now)),
  avatar_url: computed(forms.nullableString, avatarUrl),
  web_url: computed(Type.String(), ({ username }, { externalUrl }) => `${externalUrl}/${username}`),
})

/** How users are shown to a reader. */
export type UserView = PresentingUsers & {
  db: Reader
  reader: Actor
  /** Whether everything is shown that an administrator sees. */
  isWhole: boolean
  withAttributes: boolean
}

const idsOf = (users: readonly UserRow[]) => users.map(({ id }) => id)

export const users = of<UserRow, UserView>().facts({
  attributes: (rows, { db }) => attributesOfAll(db, 'user', idsOf(rows)),
  follows: (rows, { db, reader }) => followsOf(db, idsOf(rows), reader.kind === 'user' ? reader.userId : null),
  identities: async (rows, { db }) => Map.groupBy(await identitiesOf(db, idsOf(rows)), ({ user_id }) => user_id),
  namespaces: async (rows, { db }) => {
    return new Map((await personalNamespacesOf(db, idsOf(rows))).map((one) => [one.userId, one]))
  },
  creators: (rows, { db }) =>
    usersByIds(
      db,
      rows.flatMap(({ created_by_id: id }) => id ?? []),
    ),
  highestRoles: (rows, { db }) => highestRolesOf(db, idsOf(rows)),
})

/** Level B: a user in a list. */
export const basic = {
  ...UserBasic.fields,
  ...users.ifView(({ withAttributes }) => withAttributes, {
    custom_attributes: fact(
      Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
      'attributes',
      ({ id }, { attributes }) => attributes.get(id) ?? [],
    ),
  }),
}

type TextOfProfile = 'bio' | 'location' | 'skype' | 'linkedin' | 'twitter' | 'discord' | 'website_url' | 'organization'
const text = (name: TextOfProfile) => computed(Type.String(), ({ profile }: UserRow) => profile[name] ?? '')

function workInformation({ profile: { job_title, organization } }: UserRow): string | null {
  if (job_title && organization) return `${job_title} at ${organization}`
  return job_title || organization || null
}

const created = users.fields({ created_at: forms.timestamp })
const about = users.fields({
  bio: text('bio'),
  location: text('location'),
  skype: text('skype'),
  linkedin: text('linkedin'),
  twitter: text('twitter'),
  discord: text('discord'),
  website_url: text('website_url'),
  organization: text('organization'),
  job_title: computed(forms.nullableString, ({ profile }) => profile.job_title ?? ''),
  pronouns: computed(forms.nullableString, ({ profile }) => profile.pronouns ?? null),
  bot: computed(Type.Boolean(), ({ bot_kind }) => bot_kind !== null),
  work_information: computed(forms.nullableString, workInformation),
})
const follows = users.fields({
  followers: fact(Type.Integer(), 'follows', ({ id }, { follows }) => follows.get(id)?.followers ?? 0),
  following: fact(Type.Integer(), 'follows', ({ id }, { follows }) => follows.get(id)?.following ?? 0),
  is_followed: fact(Type.Boolean(), 'follows', ({ id }, { follows }) => follows.get(id)?.byReader ?? false),
})
/** There are no time zones. */
const time = users.fields({ local_time: computed(forms.nullableString, () => null) })

/** Level U: a user alone, for the user and for administrators. */
export const single = { ...created, ...about, ...follows, ...time }

/** A private profile is hidden from others than administrators and the user (contract 20 R9). */
function readsProfile(user: UserRow, { reader }: UserView): boolean {
  return !user.private_profile || isAdministrator(reader) || (reader.kind === 'user' && reader.userId === user.id)
}

/** Level U for all readers. */
export const singleForAll = {
  ...users.ifRow(readsProfile, created),
  ...about,
  ...users.ifRow(readsProfile, {
    followers: follows.followers,
    following: follows.following,
    ...users.ifView(({ reader }) => reader.kind === 'user', { is_followed: follows.is_followed }),
  }),
  ...time,
}

const Identity = Type.Object({
  provider: Type.String(),
  extern_uid: Type.String(),
  saml_provider_id: forms.nullableInteger,
})
const ScimIdentity = Type.Object({ extern_uid: Type.String(), group_id: Type.Integer(), active: Type.Boolean() })

const premium = { tier: 'premium' } as const

/** Level P: a user's own account. Identities and accounts of a group's provider are not implemented. */
export const own = {
  ...users.fields({
    last_sign_in_at: forms.nullableTimestamp,
    confirmed_at: forms.nullableTimestamp,
    last_activity_on: forms.nullableDay,
    email: Type.String(),
    theme_id: computed(forms.nullableInteger, ({ profile }) => profile.theme_id ?? 3),
    color_scheme_id: computed(Type.Integer(), ({ profile }) => profile.color_scheme_id ?? 1),
    projects_limit: Type.Integer(),
    current_sign_in_at: forms.nullableTimestamp,
    identities: fact(Type.Array(Identity), 'identities', ({ id }, { identities }) =>
      (identities.get(id) ?? []).map(({ provider, extern_uid }) => ({ provider, extern_uid, saml_provider_id: null })),
    ),
    can_create_group: computed(Type.Boolean(), (user) => user.can_create_group && !user.external),
    can_create_project: fact(Type.Boolean(), 'namespaces', ({ id, external, projects_limit }, { namespaces }) => {
      return !external && (namespaces.get(id)?.hasRoom ?? projects_limit > 0)
    }),
    two_factor_enabled: Type.Boolean(),
    external: Type.Boolean(),
    private_profile: Type.Boolean(),
    commit_email: computed(Type.String(), commitEmail),
  }),
  ...users.ifEdition(premium, {
    shared_runners_minutes_limit: computed(forms.nullableInteger, ({ profile }) => {
      return profile.shared_runners_minutes_limit ?? null
    }),
    extra_shared_runners_minutes_limit: computed(forms.nullableInteger, ({ profile }) => {
      return profile.extra_shared_runners_minutes_limit ?? null
    }),
    scim_identities: computed(Type.Array(ScimIdentity), () => []),
  }),
}

/** Level A: a user for administrators. */
export const administrator = {
  ...users.fields({
    is_admin: Type.Boolean(),
    note: forms.nullableString,
    namespace_id: fact(forms.nullableInteger, 'namespaces', ({ id }, { namespaces }) => namespaces.get(id)?.id ?? null),
    created_by: fact(nullable(UserBasic), 'creators', ({ created_by_id }, view) => {
      const creator = view.creators.get(created_by_id ?? 0)
      return creator?.removed_at === null ? UserBasic.present(creator, view) : null
    }),
    email_reset_offered_at: computed(forms.nullableTimestamp, () => null),
  }),
  ...users.ifEdition(premium, {
    using_license_seat: computed(Type.Boolean(), ({ state, bot_kind }) => state === 'active' && bot_kind === null),
    is_auditor: computed(Type.Boolean(), () => false),
    provisioned_by_group_id: forms.nullableInteger,
    enterprise_group_id: forms.nullableInteger,
    enterprise_group_associated_at: computed(forms.nullableTimestamp, (user) => {
      return user.enterprise_group_id === null ? null : user.enterprise_group_associated_at
    }),
  }),
}

/** Level D: a user alone, for administrators. */
export const detail = {
  ...users.fields({
    sign_in_count: Type.Integer(),
    current_sign_in_ip: forms.nullableString,
    last_sign_in_ip: forms.nullableString,
  }),
  ...users.ifEdition(
    { tier: 'ultimate' },
    {
      highest_role: fact(forms.nullableInteger, 'highestRoles', ({ id }, { highestRoles }) => {
        return highestRoles.get(id) ?? null
      }),
    },
  ),
  ...users.ifEdition(
    { offerings: ['hosted'] },
    { plan: computed(forms.nullableString, () => 'default'), trial: computed(Type.Boolean(), () => false) },
  ),
}
