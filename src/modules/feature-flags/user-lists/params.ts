import { type ParamValues, t } from '../../../api/index.ts'

/** Text that is no number names no list. */
export const userListPath = { iid: t.id({ otherwise: 'no record' }) }

export const userListFilter = { search: t.string({ description: 'Words that occur in the name, in any case.' }) }

/** Parameters of x.feature_flag_user_lists_update. */
export const userListChanges = {
  name: t.string(),
  user_xids: t.string({ description: 'Ids that the application has for its users, joined by commas.' }),
}
export type UserListChanges = ParamValues<typeof userListChanges>

/** Parameters of x.feature_flag_user_lists_create. */
export const newUserList = { name: t.required(userListChanges.name), user_xids: t.required(userListChanges.user_xids) }
export type NewUserList = ParamValues<typeof newUserList>
