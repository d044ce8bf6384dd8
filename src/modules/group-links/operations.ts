import { forms, instance, nothing, pageOf, pageOfList, reading, Type, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import {
  createLdapLink,
  deleteLdapLink,
  groupsOfLdapProvider,
  LdapLink,
  listLdapLinks,
  syncWithLdap,
} from './ldap-links.ts'
import { ldapLinkKey, ldapNames, ldapSearch, newLdapLink, newSamlLink, samlLinkKey } from './params.ts'
import { createSamlLink, deleteSamlLink, getSamlLink, listSamlLinks, SamlLink } from './saml-links.ts'

const shared = { tier: 'premium', tag: 'Group links', subject: group } as const
const read = { ...shared, method: 'GET', allow: 'read_group_links', scopes: reading } as const
const write = { ...shared, allow: 'admin_group_links', scopes: writing } as const
const ldap = '/groups/:id/ldap_group_links'
const saml = '/groups/:id/saml_group_links'

export const ldapLinksList = operation({
  ...read,
  id: 'ldap_group_links.list',
  contract: 'x.ldap_link_list',
  path: ldap,
  summary: 'List the LDAP groups whose users get a role',
  result: [200, Type.Array(LdapLink)],
  run: ({ platform, subject }) => listLdapLinks(platform, subject),
})

export const ldapLinksCreate = operation({
  ...write,
  id: 'ldap_group_links.create',
  contract: 'x.ldap_link_create',
  method: 'POST',
  path: ldap,
  summary: 'Give the users of an LDAP group a role',
  description: 'The link is stored; no sign-in by LDAP applies it yet.',
  params: newLdapLink,
  exactlyOne: ldapNames,
  result: [201, LdapLink],
  answers: { 409: 'The link exists, or the filter is none.' },
  run: ({ platform, subject, params, act }) => createLdapLink(platform, subject, params, act),
})

export const ldapLinksDelete = operation({
  ...write,
  id: 'ldap_group_links.delete',
  contract: 'x.ldap_link_delete',
  method: 'DELETE',
  path: ldap,
  summary: 'Delete an LDAP group link',
  params: ldapLinkKey,
  exactlyOne: ldapNames,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteLdapLink(platform, subject, params, { unmodified, act }),
})

export const ldapLinksDeleteCn = operation({
  ...write,
  id: 'ldap_group_links.delete_cn',
  contract: 'x.ldap_link_delete_cn',
  method: 'DELETE',
  path: `${ldap}/:cn`,
  summary: 'Delete the first LDAP group link with a name',
  params: { cn: t.required(t.string()) },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteLdapLink(platform, subject, params, { unmodified, act }),
})

export const ldapLinksDeleteProvider = operation({
  ...write,
  id: 'ldap_group_links.delete_provider',
  contract: 'x.ldap_link_delete_provider',
  method: 'DELETE',
  path: `${ldap}/:provider/:cn`,
  summary: 'Delete the LDAP group link with a name at a provider',
  params: { provider: t.required(t.string()), cn: t.required(t.string()) },
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteLdapLink(platform, subject, params, { unmodified, act }),
})

export const ldapSync = operation({
  ...write,
  id: 'ldap_group_links.sync',
  contract: 'x.ldap_sync',
  method: 'POST',
  path: '/groups/:id/ldap_sync',
  summary: 'Synchronise a group with LDAP',
  description: 'Not found while no sign-in by LDAP is configured.',
  result: [202, forms.accepted],
  run: () => syncWithLdap(),
})

const LdapGroup = Type.Object({ cn: Type.String() }, { title: 'LdapGroup' })
const ofInstance = {
  tier: 'premium',
  tag: 'Group links',
  subject: instance,
  allow: 'administrator',
  method: 'GET',
  scopes: reading,
  params: ldapSearch,
} as const

export const ldapGroups = operation({
  ...ofInstance,
  id: 'ldap_groups.list',
  contract: 'x.ldap_groups',
  path: '/ldap/groups',
  summary: 'List the groups of the first LDAP provider',
  description: 'None while no sign-in by LDAP is configured.',
  result: [200, pageOf(LdapGroup)],
  run: async ({ page }) => pageOfList([], page),
})

export const ldapProviderGroups = operation({
  ...ofInstance,
  id: 'ldap_groups.list_of_provider',
  contract: 'x.ldap_provider_groups',
  path: '/ldap/:provider/groups',
  summary: 'List the groups of an LDAP provider',
  result: [200, pageOf(LdapGroup)],
  run: () => groupsOfLdapProvider(),
})

export const samlLinksList = operation({
  ...read,
  id: 'saml_group_links.list',
  contract: 'x.saml_link_list',
  path: saml,
  summary: 'List the SAML groups whose users get a role',
  result: [200, Type.Array(SamlLink)],
  run: ({ platform, subject }) => listSamlLinks(platform, subject),
})

export const samlLinksGet = operation({
  ...read,
  id: 'saml_group_links.get',
  contract: 'x.saml_link_get',
  path: `${saml}/:saml_group_name`,
  summary: 'Get a SAML group link',
  params: samlLinkKey,
  result: [200, SamlLink],
  run: ({ platform, subject, params }) => getSamlLink(platform, subject, params),
})

export const samlLinksCreate = operation({
  ...write,
  id: 'saml_group_links.create',
  contract: 'x.saml_link_create',
  method: 'POST',
  path: saml,
  summary: 'Give the users of a SAML group a role',
  description: 'The link is stored; no sign-in by SAML applies it yet.',
  params: newSamlLink,
  result: [201, SamlLink],
  run: ({ platform, subject, params, act }) => createSamlLink(platform, subject, params, act),
})

export const samlLinksDelete = operation({
  ...write,
  id: 'saml_group_links.delete',
  contract: 'x.saml_link_delete',
  method: 'DELETE',
  path: `${saml}/:saml_group_name`,
  summary: 'Delete a SAML group link',
  params: samlLinkKey,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified, act }) =>
    deleteSamlLink(platform, subject, params, { unmodified, act }),
})
