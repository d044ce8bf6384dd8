import { type ParamValues, t, takenIn } from '../../api/index.ts'
import { memberLevels, role } from '../access/index.ts'

const memberRole = takenIn(
  { tier: 'ultimate' },
  t.integer({ description: 'The member role of their users, whose base level is that role.' }),
)

const names = {
  cn: t.string({ description: 'The common name of an LDAP group.' }),
  filter: t.string({ description: 'An LDAP filter, such as `(department=sales)`.' }),
}

/** Parameters of x.ldap_link_delete. */
export const ldapLinkKey = { provider: t.required(t.string({ description: 'Name of the LDAP server.' })), ...names }
export type LdapLinkKey = ParamValues<typeof ldapLinkKey>

/** Parameters of x.ldap_link_create. */
export const newLdapLink = {
  group_access: t.required(t.integerOf([role.none, ...memberLevels], { description: 'The role of their users.' })),
  ...ldapLinkKey,
  member_role_id: memberRole,
}
export type NewLdapLink = ParamValues<typeof newLdapLink>

export const ldapNames = ['cn', 'filter'] as const

/** Parameters of x.ldap_groups. */
export const ldapSearch = { search: t.string({ description: 'Part of the name.' }) }

/** Parameters of x.saml_link_get. */
export const samlLinkKey = {
  saml_group_name: t.required(t.string()),
  provider: t.string({ description: 'Name of the SAML provider.' }),
}
export type SamlLinkKey = ParamValues<typeof samlLinkKey>

/** Parameters of x.saml_link_create. */
export const newSamlLink = {
  ...samlLinkKey,
  access_level: t.required(
    t.integerOf(
      memberLevels.filter((level) => level >= role.guest),
      { description: 'The role of their users.' },
    ),
  ),
  member_role_id: memberRole,
}
export type NewSamlLink = ParamValues<typeof newSamlLink>
