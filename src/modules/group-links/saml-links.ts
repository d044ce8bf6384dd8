import {
  failure,
  forms,
  from,
  invalid,
  lengthProblems,
  notFound,
  object,
  of,
  refuse,
  Type,
  taken,
  textProblems,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, now, type Reader } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { memberRoleProblems } from '../access/index.ts'
import type { Group } from '../groups/index.ts'
import { mostLinks } from './ldap-links.ts'
import type { NewSamlLink, SamlLinkKey } from './params.ts'
import * as store from './store.ts'
import type { SamlLinkRow } from './tables.ts'

const longestName = 255

/** A link (contract 25, SamlLink). */
export const SamlLink = object('SamlGroupLink', of<SamlLinkRow>(), {
  name: from(Type.String(), 'saml_group_name'),
  access_level: Type.Integer(),
  member_role_id: forms.nullableInteger,
  provider: forms.nullableString,
})

/** @throws ApiError 404; 422 for several of one name */
async function requireLink(db: Reader, group: Group, { saml_group_name: name, provider }: SamlLinkKey) {
  const isWanted = (link: SamlLinkRow) =>
    link.saml_group_name === name && (provider === undefined || link.provider === provider)
  const [link, another] = (await store.samlLinksOf(db, group.id)).filter(isWanted)
  if (!link) throw notFound('SAML Group Link')
  if (another) {
    const sentence = 'Multiple SAML group links found with the same name. Please specify a provider parameter.'
    throw failure(422, sentence)
  }
  return link
}

/** The SAML links of a group (contract 25, x.saml_link_list). */
export async function listSamlLinks({ database }: Platform, group: Group) {
  return (await store.samlLinksOf(database.read, group.id)).map((row) => SamlLink.present(row))
}

/** One link (contract 25, x.saml_link_get). @throws ApiError 404, 422 */
export async function getSamlLink({ database }: Platform, group: Group, key: SamlLinkKey) {
  return SamlLink.present(await requireLink(database.read, group, key))
}

/** Adds a link (contract 25, x.saml_link_create). @throws ApiError 400 */
export async function createSamlLink({ database, clock }: Platform, group: Group, given: NewSamlLink, act: Act) {
  const { saml_group_name, access_level, member_role_id = null } = given
  const provider = given.provider || null
  refuse({
    saml_group_name: textProblems(saml_group_name, longestName),
    provider: lengthProblems(provider ?? '', longestName),
  })
  return database.write(async (tx) => {
    await acquireLock(tx, `saml_group_links:${group.id}`)
    const links = await store.samlLinksOf(tx, group.id)
    if (links.some((link) => link.saml_group_name === saml_group_name && link.provider === provider)) {
      throw invalid({ saml_group_name: [taken] })
    }
    if (links.length >= mostLinks) throw invalid({ base: [`Maximum number of links (${mostLinks}) exceeded`] })
    refuse({ member_role: await memberRoleProblems(tx, group.id, { access_level, member_role_id }) })
    const created_at = now(clock)
    const link = { namespace_id: group.id, saml_group_name, access_level, provider, created_at, member_role_id }
    const row = await store.insertSamlLink(tx, link)
    await act(tx, row.id)
    return SamlLink.present(row)
  })
}

/** Deletes a link (contract 25, x.saml_link_delete). @throws ApiError 404, 422; 412 by `unmodified` */
export async function deleteSamlLink(
  { database }: Platform,
  group: Group,
  key: SamlLinkKey,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    await acquireLock(tx, `saml_group_links:${group.id}`)
    const row = await claim(tx, 'saml_group_links', () => requireLink(tx, group, key))
    unmodified(row.created_at)
    await store.removeSamlLink(tx, row.id)
    await act(tx, row.id)
  })
}
