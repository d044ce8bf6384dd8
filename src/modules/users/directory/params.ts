import { type Param, type ParamValues, t } from '../../../api/index.ts'
import { attributeFilter, withAttributes } from '../../custom-attributes/index.ts'
import { administratorFlags, type Flag, flags, sortColumns } from './store/flags.ts'

const flagParams = Object.fromEntries(
  Object.keys({ ...flags, ...administratorFlags }).map((name) => [name, t.boolean()]),
) as {
  [F in Flag]: Param<boolean, false>
}

export const userFilter = {
  username: t.string({ description: 'The username, in any case.' }),
  public_email: t.string(),
  search: t.string({ description: 'Part of the name, the username or the public e-mail address.' }),
  ...flagParams,
  extern_uid: t.string(),
  provider: t.string(),
  ...attributeFilter,
  ...withAttributes,
  created_after: t.datetime(),
  created_before: t.datetime(),
  two_factor: t.oneOf(['enabled', 'disabled']),
  order_by: t.oneOf(sortColumns),
  sort: t.oneOf(['asc', 'desc']),
}
export type UserFilterParams = ParamValues<typeof userFilter>
