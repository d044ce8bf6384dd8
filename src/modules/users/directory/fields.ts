import { createHash } from 'node:crypto'
import { forms, nullable, onlyIn, type Static, type TSchema, Type } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { avatarFile } from '../../namespaces/index.ts'
import { isLocked } from '../sign-in/locks.ts'
import type { UserRow } from '../tables.ts'
import type { UserFacts } from './facts.ts'
import type { Level } from './levels.ts'

const premium = { tier: 'premium' } as const

/** Facts of the instance that presenting users depends on. */
export type PresentingUsers = {
  externalUrl: string
  now: string
  /** Whether users without an avatar get that of their e-mail address (setting `gravatar_enabled`). */
  gravatar?: boolean
  /** The setting `commit_email_hostname`. */
  commitEmailHostname?: string
}

/** Reads them; once per response. */
export async function presentingUsers({ settings, clock, externalUrl }: Platform): Promise<PresentingUsers> {
  const { gravatar_enabled: gravatar, commit_email_hostname: commitEmailHostname } = await settings.current()
  return { externalUrl, now: now(clock), gravatar, commitEmailHostname }
}

type CommitPresenting = Pick<PresentingUsers, 'commitEmailHostname'>

/** A user to be presented. */
export type Shown = {
  user: UserRow
  presenting: PresentingUsers
  facts: UserFacts
  /** Whether the reader may see the members that a private profile hides. */
  readsProfile: boolean
}

type Field<L extends Level, S extends TSchema> = {
  level: L
  schema: S
  /** Returns undefined to omit the member. */
  read(shown: Shown): Static<S> | undefined
  mayBeAbsent: boolean
}

function field<const L extends Level, S extends TSchema>(
  level: L,
  schema: S,
  read: Field<L, S>['read'],
  options: { mayBeAbsent?: boolean } = {},
): Field<L, S> {
  return { level, schema, read, mayBeAbsent: options.mayBeAbsent ?? false }
}

/** A member that a private profile hides (contract 20 R9). */
function ofProfile<const L extends Level, S extends TSchema>(level: L, schema: S, read: Field<L, S>['read']) {
  return field(level, schema, (shown) => (shown.readsProfile ? read(shown) : undefined), { mayBeAbsent: true })
}

type TextOfProfile = 'bio' | 'location' | 'skype' | 'linkedin' | 'twitter' | 'discord' | 'website_url' | 'organization'

const text = (name: TextOfProfile) => field('single', Type.String(), ({ user }) => user.profile[name] ?? '')

/** The picture of an address at Gravatar; null when the instance does not use it. */
export function gravatarUrl(email: string, { gravatar }: PresentingUsers, size = 80): string | null {
  if (!gravatar) return null
  const digest = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
  return `https://www.gravatar.com/avatar/${digest}?s=${size}&d=identicon`
}

/** The address of the picture of a user. */
export function avatarUrl({ id, avatar, email }: UserRow, presenting: PresentingUsers): string | null {
  if (avatar === null) return gravatarUrl(email, presenting)
  return `${presenting.externalUrl}/uploads/-/system/user/avatar/${id}/${avatarFile(avatar)}`
}

function workInformation({ user }: Shown): string | null {
  const { job_title, organization } = user.profile
  if (job_title && organization) return `${job_title} at ${organization}`
  return job_title || organization || null
}

/** The author's address in commits that the server makes for a user; `_private` stands for one that reveals nothing. */
function commitEmail({ user, presenting }: Pick<Shown, 'user'> & { presenting: CommitPresenting }): string {
  const chosen = user.profile.commit_email
  if (chosen !== '_private') return chosen || user.email
  return `${user.id}-${user.username}@${presenting.commitEmailHostname ?? 'users.noreply.localhost'}`
}

/** Author and committer in commits that the server makes for a user. */
export function commitIdentity(user: UserRow, presenting: CommitPresenting): { name: string; email: string } {
  return { name: user.name, email: commitEmail({ user, presenting }) }
}

const Identity = Type.Object({
  provider: Type.String(),
  extern_uid: Type.String(),
  saml_provider_id: forms.nullableInteger,
})

const ScimIdentity = Type.Object({ extern_uid: Type.String(), group_id: Type.Integer(), active: Type.Boolean() })

const basicFields = {
  id: field('basic', forms.id, ({ user }) => user.id),
  username: field('basic', Type.String(), ({ user }) => user.username),
  public_email: field('basic', forms.nullableString, ({ user }) => user.public_email),
  name: field('basic', Type.String(), ({ user }) => user.name),
  state: field('basic', Type.String(), ({ user }) => user.state),
  locked: field('basic', Type.Boolean(), ({ user, presenting }) => isLocked(user, presenting.now)),
  avatar_url: field('basic', forms.nullableString, ({ user, presenting }) => avatarUrl(user, presenting)),
  web_url: field('basic', Type.String(), ({ user, presenting }) => `${presenting.externalUrl}/${user.username}`),
}

type PropertiesOf<F> = { [K in keyof F]: F[K] extends Field<Level, infer S> ? S : never }

function propertiesOf<F extends Record<string, Field<Level, TSchema>>>(fields: F): PropertiesOf<F> {
  return Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])) as PropertiesOf<F>
}

/** A user inside of other objects (contract 20, User level B). */
export const UserBasic = Type.Object(propertiesOf(basicFields), { title: 'UserBasic' })

const basicEntries = Object.entries(basicFields)

/** Presents a user at level B, from its row alone. */
export function readBasic(shown: Shown): Static<typeof UserBasic> {
  const members: Record<string, unknown> = {}
  for (const [name, { read }] of basicEntries) members[name] = read(shown)
  return members as Static<typeof UserBasic>
}

function creator({ user, facts, ...shown }: Shown): Static<typeof UserBasic> | null {
  const row = user.created_by_id === null ? undefined : facts.creators.get(user.created_by_id)
  return row?.removed_at === null ? readBasic({ ...shown, user: row, facts }) : null
}

function canCreateProject({ user, facts }: Shown): boolean {
  return !user.external && (facts.hasRoom.get(user.id) ?? user.projects_limit > 0)
}

/**
 * The members of a user in order, each with the lowest level that shows it, its schema and its value (contract 20, User).
 * Constant values belong to features that are not implemented: time zones, and identities and accounts of a group's
 * provider.
 */
export const fields: Record<string, Field<Level, TSchema>> = {
  ...basicFields,
  custom_attributes: field(
    'basic',
    Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
    ({ user, facts }) => facts.attributes && (facts.attributes.get(user.id) ?? []),
    { mayBeAbsent: true },
  ),
  created_at: ofProfile('single', forms.timestamp, ({ user }) => user.created_at),
  bio: text('bio'),
  location: text('location'),
  skype: text('skype'),
  linkedin: text('linkedin'),
  twitter: text('twitter'),
  discord: text('discord'),
  website_url: text('website_url'),
  organization: text('organization'),
  job_title: field('single', forms.nullableString, ({ user }) => user.profile.job_title ?? ''),
  pronouns: field('single', forms.nullableString, ({ user }) => user.profile.pronouns ?? null),
  bot: field('single', Type.Boolean(), ({ user }) => user.bot_kind !== null),
  work_information: field('single', forms.nullableString, workInformation),
  followers: ofProfile('single', Type.Integer(), ({ user, facts }) => facts.follows.get(user.id)?.followers ?? 0),
  following: ofProfile('single', Type.Integer(), ({ user, facts }) => facts.follows.get(user.id)?.following ?? 0),
  is_followed: ofProfile('single', Type.Boolean(), ({ user, facts }) => facts.follows.get(user.id)?.byReader),
  local_time: field('single', forms.nullableString, () => null),
  last_sign_in_at: field('own', forms.nullableTimestamp, ({ user }) => user.last_sign_in_at),
  confirmed_at: field('own', forms.nullableTimestamp, ({ user }) => user.confirmed_at),
  last_activity_on: field('own', forms.nullableDay, ({ user }) => user.last_activity_on),
  email: field('own', Type.String(), ({ user }) => user.email),
  theme_id: field('own', forms.nullableInteger, ({ user }) => user.profile.theme_id ?? 3),
  color_scheme_id: field('own', Type.Integer(), ({ user }) => user.profile.color_scheme_id ?? 1),
  projects_limit: field('own', Type.Integer(), ({ user }) => user.projects_limit),
  current_sign_in_at: field('own', forms.nullableTimestamp, ({ user }) => user.current_sign_in_at),
  identities: field('own', Type.Array(Identity), ({ user, facts }) =>
    (facts.identities.get(user.id) ?? []).map(({ provider, extern_uid }) => {
      return { provider, extern_uid, saml_provider_id: null }
    }),
  ),
  can_create_group: field('own', Type.Boolean(), ({ user }) => user.can_create_group && !user.external),
  can_create_project: field('own', Type.Boolean(), canCreateProject),
  two_factor_enabled: field('own', Type.Boolean(), ({ user }) => user.two_factor_enabled),
  external: field('own', Type.Boolean(), ({ user }) => user.external),
  private_profile: field('own', Type.Boolean(), ({ user }) => user.private_profile),
  commit_email: field('own', Type.String(), commitEmail),
  shared_runners_minutes_limit: field('own', onlyIn(premium, forms.nullableInteger), ({ user }) => {
    return user.profile.shared_runners_minutes_limit ?? null
  }),
  extra_shared_runners_minutes_limit: field('own', onlyIn(premium, forms.nullableInteger), ({ user }) => {
    return user.profile.extra_shared_runners_minutes_limit ?? null
  }),
  scim_identities: field('own', onlyIn(premium, Type.Array(ScimIdentity)), () => []),
  is_admin: field('administrator', Type.Boolean(), ({ user }) => user.is_admin),
  note: field('administrator', forms.nullableString, ({ user }) => user.note),
  namespace_id: field('administrator', forms.nullableInteger, ({ user, facts }) => {
    return facts.namespaceIds.get(user.id) ?? null
  }),
  created_by: field('administrator', nullable(UserBasic), creator),
  email_reset_offered_at: field('administrator', forms.nullableTimestamp, () => null),
  using_license_seat: field('administrator', onlyIn(premium, Type.Boolean()), ({ user }) => {
    return user.state === 'active' && user.bot_kind === null
  }),
  is_auditor: field('administrator', onlyIn(premium, Type.Boolean()), () => false),
  provisioned_by_group_id: field(
    'administrator',
    onlyIn(premium, forms.nullableInteger),
    ({ user }) => user.provisioned_by_group_id,
  ),
  enterprise_group_id: field(
    'administrator',
    onlyIn(premium, forms.nullableInteger),
    ({ user }) => user.enterprise_group_id,
  ),
  enterprise_group_associated_at: field('administrator', onlyIn(premium, forms.nullableTimestamp), ({ user }) => {
    return user.enterprise_group_id === null ? null : user.enterprise_group_associated_at
  }),
  sign_in_count: field('detail', Type.Integer(), ({ user }) => user.sign_in_count),
  current_sign_in_ip: field('detail', forms.nullableString, ({ user }) => user.current_sign_in_ip),
  last_sign_in_ip: field('detail', forms.nullableString, ({ user }) => user.last_sign_in_ip),
  highest_role: field(
    'detail',
    onlyIn({ tier: 'ultimate' }, forms.nullableInteger),
    ({ user, facts }) => facts.highestRoles.get(user.id) ?? null,
  ),
  plan: field('detail', onlyIn({ offerings: ['hosted'] }, forms.nullableString), () => 'default'),
  trial: field('detail', onlyIn({ offerings: ['hosted'] }, Type.Boolean()), () => false),
}
