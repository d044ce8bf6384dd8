import { type ParamValues, t } from '../../../api/index.ts'

export const enterpriseFilter = {
  username: t.string({ description: 'The username, in any case.' }),
  search: t.string({ description: 'Part of the name, the username or the primary e-mail address.' }),
  active: t.boolean({ description: 'Only active users; false: no filter.' }),
  blocked: t.boolean({ description: 'Only blocked users; false: no filter.' }),
  created_after: t.datetime(),
  created_before: t.datetime(),
  two_factor: t.string({ description: '`enabled` or `disabled`; other texts: no filter.' }),
}
export type EnterpriseFilterParams = ParamValues<typeof enterpriseFilter>

export const userInPath = { user_id: t.id() }
export const enterpriseChanges = { name: t.string(), email: t.string() }
export type EnterpriseChanges = ParamValues<typeof enterpriseChanges>

/** Parameters of x.groups_users. */
export const groupUserFilter = {
  include_saml_users: t.boolean({ description: 'Members with a SAML identity of a group.' }),
  include_service_accounts: t.boolean({ description: 'Service accounts of the group and of the groups below it.' }),
  search: t.string({ description: 'Part of the name, the username or the primary e-mail address.' }),
}
export type GroupUserFilter = ParamValues<typeof groupUserFilter>
