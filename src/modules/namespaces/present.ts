import { forms, oneOf, type Static, Type } from '../../api/index.ts'
import type { NamespaceRow } from './tables.ts'
import type { Totals } from './totals/store/totals.ts'

/** What every caller who sees a namespace sees of it. */
export const namespaceMembers = {
  id: forms.id,
  name: Type.String(),
  path: Type.String(),
  kind: oneOf(['user', 'group']),
  full_path: Type.String(),
  parent_id: forms.nullableInteger,
  avatar_url: forms.nullableString,
  web_url: Type.String(),
}

/** A namespace; the members after `web_url` are for its owners (contract 21, Namespace). */
export const Namespace = Type.Object(
  {
    ...namespaceMembers,
    members_count_with_descendants: Type.Optional(Type.Integer()),
    root_repository_size: Type.Optional(forms.nullableInteger),
    projects_count: Type.Optional(Type.Integer()),
    billable_members_count: Type.Optional(Type.Integer()),
    seats_in_use: Type.Optional(Type.Integer()),
    max_seats_used: Type.Optional(Type.Integer()),
    max_seats_used_changed_at: Type.Optional(forms.nullableTimestamp),
    end_date: Type.Optional(forms.nullableDay),
    plan: Type.Optional(Type.String()),
    trial_ends_on: Type.Optional(forms.nullableDay),
    trial: Type.Optional(Type.Boolean()),
  },
  { title: 'Namespace' },
)

export type PresentedNamespace = Static<typeof Namespace>

/** Web address of a namespace. */
export function namespaceWebUrl(externalUrl: string, row: Pick<NamespaceRow, 'kind' | 'full_path'>): string {
  return row.kind === 'group' ? `${externalUrl}/groups/${row.full_path}` : `${externalUrl}/${row.full_path}`
}

/**
 * The file name of an avatar, as in its address. A row names an avatar by `<key of the upload>/<file name>`; rows of uploads from
 * before there were such keys have the file name alone.
 */
export const avatarFile = (avatar: string): string => avatar.slice(avatar.lastIndexOf('/') + 1)

/**
 * Address of a namespace's avatar: a group's own, or that of the owner of a personal namespace.
 * @param ownerAvatar the owner's avatar; only of personal namespaces
 */
export function namespaceAvatarUrl(externalUrl: string, row: NamespaceRow, ownerAvatar: string | null): string | null {
  const folder = `${externalUrl}/uploads/-/system`
  if (row.kind === 'group') return row.avatar && `${folder}/group/avatar/${row.id}/${avatarFile(row.avatar)}`
  return ownerAvatar && `${folder}/user/avatar/${row.owner_id}/${avatarFile(ownerAvatar)}`
}

/** A group in lists that need only its name and path (contract 21, PublicGroup). */
export const PublicGroup = Type.Object(
  {
    id: forms.id,
    web_url: Type.String(),
    name: Type.String(),
    avatar_url: forms.nullableString,
    full_name: Type.String(),
    full_path: Type.String(),
  },
  { title: 'PublicGroup' },
)
export type PresentedPublicGroup = Static<typeof PublicGroup>

export function presentPublicGroup(row: NamespaceRow, externalUrl: string): PresentedPublicGroup {
  return {
    ...row,
    web_url: namespaceWebUrl(externalUrl, row),
    avatar_url: namespaceAvatarUrl(externalUrl, row, null),
  }
}

type NamespaceContext = {
  externalUrl: string
  ownerAvatar: string | null
  /** Of everything below it, too; only for owners of the namespace. */
  totals: Totals | undefined
  administrator: boolean
}

export function presentNamespace(row: NamespaceRow, context: NamespaceContext): PresentedNamespace {
  const { externalUrl, ownerAvatar, totals, administrator } = context
  const basic = {
    ...row,
    avatar_url: namespaceAvatarUrl(externalUrl, row, ownerAvatar),
    web_url: namespaceWebUrl(externalUrl, row),
  }
  if (!totals) return basic
  return {
    ...basic,
    members_count_with_descendants: row.kind === 'group' ? totals.members : undefined,
    root_repository_size: administrator ? (row.parent_id === null ? totals.repository_bytes : null) : undefined,
    projects_count: totals.projects,
    billable_members_count: totals.seats,
    seats_in_use: totals.seats,
    max_seats_used: totals.seats,
    max_seats_used_changed_at: null,
    end_date: null,
    plan: 'default',
    trial_ends_on: null,
    trial: false,
  }
}
