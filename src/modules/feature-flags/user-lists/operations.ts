import { nothing, pageOf, reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { newUserList, userListChanges, userListFilter, userListPath } from './params.ts'
import { UserList } from './present.ts'
import { createUserList, deleteUserList, getUserList, listUserLists, updateUserList } from './user-lists.ts'

const shared = { tag: 'Feature flags', subject: project } as const
const read = { ...shared, allow: 'read_feature_flags', scopes: reading } as const
const write = { ...shared, allow: 'admin_feature_flags', scopes: writing } as const
const list = '/projects/:id/feature_flags_user_lists'
const one = `${list}/:iid` as const

export const featureFlagUserListsList = operation({
  ...read,
  id: 'feature_flag_user_lists.list',
  contract: 'x.feature_flag_user_lists_list',
  method: 'GET',
  path: list,
  summary: 'List the user lists of feature flags',
  params: userListFilter,
  result: [200, pageOf(UserList)],
  run: ({ platform, subject, params, page }) => listUserLists(platform, subject, params.search ?? '', page),
})

export const featureFlagUserListsGet = operation({
  ...read,
  id: 'feature_flag_user_lists.get',
  contract: 'x.feature_flag_user_lists_get',
  method: 'GET',
  path: one,
  summary: 'Get a user list of feature flags',
  params: userListPath,
  result: [200, UserList],
  run: ({ platform, subject, params }) => getUserList(platform, subject, params.iid),
})

export const featureFlagUserListsCreate = operation({
  ...write,
  id: 'feature_flag_user_lists.create',
  contract: 'x.feature_flag_user_lists_create',
  method: 'POST',
  path: list,
  summary: 'Create a user list for feature flags',
  params: newUserList,
  result: [201, UserList],
  run: ({ platform, subject, params }) => createUserList(platform, subject, params),
})

export const featureFlagUserListsUpdate = operation({
  ...write,
  id: 'feature_flag_user_lists.update',
  contract: 'x.feature_flag_user_lists_update',
  method: 'PUT',
  path: one,
  summary: 'Change a user list of feature flags',
  params: { ...userListPath, ...userListChanges },
  result: [200, UserList],
  run: ({ platform, subject, params: { iid, ...changes } }) => updateUserList(platform, subject, iid, changes),
})

export const featureFlagUserListsDelete = operation({
  ...write,
  id: 'feature_flag_user_lists.delete',
  contract: 'x.feature_flag_user_lists_delete',
  method: 'DELETE',
  path: one,
  summary: 'Delete a user list that no feature flag uses',
  params: userListPath,
  result: [204, nothing],
  run: ({ platform, subject, params, unmodified }) => deleteUserList(platform, subject, params.iid, unmodified),
})
