import {
  conflict,
  failure,
  forms,
  invalid,
  notFound,
  object,
  of,
  refuse,
  Type,
  textProblems,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, now } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { memberRoleProblems } from '../access/index.ts'
import type { Group } from '../groups/index.ts'
import { isLdapFilter } from './filter.ts'
import type { LdapLinkKey, NewLdapLink } from './params.ts'
import * as store from './store.ts'
import type { LdapLinkRow } from './tables.ts'

/** Links of one kind of one group (contract 25). */
export const mostLinks = 100
const longestName = 255
const longestFilter = 2000

/** A link (contract 25, LdapLink). */
export const LdapLink = object('LdapGroupLink', of<LdapLinkRow>(), {
  cn: forms.nullableString,
  group_access: Type.Integer(),
  provider: Type.String(),
  filter: forms.nullableString,
  member_role_id: forms.nullableInteger,
})

/** The LDAP links of a group (contract 25, x.ldap_link_list). @throws ApiError 404 without any */
export async function listLdapLinks({ database }: Platform, group: Group) {
  const rows = await store.ldapLinksOf(database.read, group.id)
  if (rows.length === 0) throw failure(404, 'No linked LDAP groups found')
  return rows.map((row) => LdapLink.present(row))
}

/** Adds a link (contract 25, x.ldap_link_create). @throws ApiError 400, 409 */
export async function createLdapLink({ database, clock }: Platform, group: Group, given: NewLdapLink, act: Act) {
  const { cn = null, filter = null, provider, group_access, member_role_id = null } = given
  refuse({
    provider: textProblems(provider, longestName),
    cn: cn === null ? [] : textProblems(cn, longestName),
    filter: filter === null ? [] : textProblems(filter, longestFilter),
  })
  if (filter !== null && !isLdapFilter(filter)) throw conflict('Filter must be a valid filter')
  return database.write(async (tx) => {
    await acquireLock(tx, `ldap_group_links:${group.id}`)
    const links = await store.ldapLinksOf(tx, group.id)
    if (links.some((link) => link.provider === provider && link.cn === cn && link.filter === filter)) {
      throw conflict(`${cn === null ? 'Filter' : 'Cn'} has already been taken`)
    }
    if (links.length >= mostLinks) throw invalid({ base: [`Maximum number of links (${mostLinks}) exceeded`] })
    refuse({ member_role: await memberRoleProblems(tx, group.id, { access_level: group_access, member_role_id }) })
    const created_at = now(clock)
    const link = { namespace_id: group.id, cn, filter, group_access, provider, created_at, member_role_id }
    const row = await store.insertLdapLink(tx, link)
    await act(tx, row.id)
    return LdapLink.present(row)
  })
}

/** Deletes the first link with these values (contract 25, x.ldap_link_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteLdapLink(
  { database }: Platform,
  group: Group,
  key: Partial<LdapLinkKey>,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  const isWanted = (link: LdapLinkRow) =>
    (['provider', 'cn', 'filter'] as const).every((name) => key[name] === undefined || link[name] === key[name])
  await database.write(async (tx) => {
    await acquireLock(tx, `ldap_group_links:${group.id}`)
    const find = async () => (await store.ldapLinksOf(tx, group.id)).find(isWanted) ?? null
    const row = await claim(tx, 'ldap_group_links', find)
    if (!row) throw failure(404, 'Linked LDAP group not found')
    unmodified(row.created_at)
    await store.removeLdapLink(tx, row.id)
    await act(tx, row.id)
  })
}

/** No sign-in by LDAP can be configured yet, so there is nothing to synchronise (contract 25, x.ldap_sync). @throws ApiError 404 */
export async function syncWithLdap(): Promise<never> {
  throw notFound()
}

/** The same for the groups of a provider (contract 25, x.ldap_provider_groups). @throws ApiError 404 */
export async function groupsOfLdapProvider(): Promise<never> {
  throw notFound('LDAP provider')
}
