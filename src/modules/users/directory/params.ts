import { type ParamValues, t } from '../../../api/index.ts'
import { sortColumns } from './store/list.ts'

const flag = t.boolean()

export const userFilter = {
  username: t.string({ description: 'The username, in any case.' }),
  public_email: t.string(),
  search: t.string({ description: 'Part of the name, the username or the public e-mail address.' }),
  active: flag,
  blocked: flag,
  external: flag,
  humans: flag,
  without_projects: flag,
  admins: flag,
  exclude_active: flag,
  exclude_external: flag,
  exclude_humans: flag,
  exclude_internal: flag,
  without_project_bots: flag,
  skip_ldap: flag,
  extern_uid: t.string(),
  provider: t.string(),
  created_after: t.datetime(),
  created_before: t.datetime(),
  two_factor: t.oneOf(['enabled', 'disabled']),
  order_by: t.oneOf(sortColumns),
  sort: t.oneOf(['asc', 'desc']),
}
export type UserFilterParams = ParamValues<typeof userFilter>
