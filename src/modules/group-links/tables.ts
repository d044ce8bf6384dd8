/** Groups of sign-in providers whose users get a role in a group (contract 25, LDAP and SAML group links). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Exactly one of `cn` and `filter` is set. */
export const ldapGroupLinks = table(
  'ldap_group_links',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade'),
    cn: t.text().nullable(),
    filter: t.text().nullable(),
    group_access: t.integer(),
    provider: t.text(),
    created_at: t.time(),
    member_role_id: t.refers('member_roles', 'set null').nullable(),
  },
  {
    checks: ['(cn is null) <> (filter is null)'],
    indexes: { namespace: ['namespace_id', 'id'], member_role: partial('member_role_id', 'id') },
  },
)
export type LdapLinkRow = RowOf<typeof ldapGroupLinks>

export const samlGroupLinks = table(
  'saml_group_links',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade'),
    saml_group_name: t.text(),
    access_level: t.integer(),
    provider: t.text().nullable(),
    created_at: t.time(),
    member_role_id: t.refers('member_roles', 'set null').nullable(),
  },
  { indexes: { namespace: ['namespace_id', 'id'], member_role: partial('member_role_id', 'id') } },
)
export type SamlLinkRow = RowOf<typeof samlGroupLinks>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof ldapGroupLinks | typeof samlGroupLinks> {}
}
