import { type Reader, rows } from '../../infra/database/index.ts'
import { type LdapLinkRow, ldapGroupLinks, type SamlLinkRow, samlGroupLinks } from './tables.ts'

export const { insert: insertLdapLink, remove: removeLdapLink } = rows(ldapGroupLinks)
export const { insert: insertSamlLink, remove: removeSamlLink } = rows(samlGroupLinks)

/** The LDAP links of a group, by id; there are few. */
export function ldapLinksOf(db: Reader, groupId: number): Promise<LdapLinkRow[]> {
  return db.selectFrom('ldap_group_links').selectAll().where('namespace_id', '=', groupId).orderBy('id').execute()
}

/** The SAML links of a group, by id; there are few. */
export function samlLinksOf(db: Reader, groupId: number): Promise<SamlLinkRow[]> {
  return db.selectFrom('saml_group_links').selectAll().where('namespace_id', '=', groupId).orderBy('id').execute()
}
