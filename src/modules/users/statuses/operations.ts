import { instance, nullable, readingUsers, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { statusParams } from './params.ts'
import { UserStatus } from './present.ts'
import { getOwnStatus, getStatus, setStatus } from './statuses.ts'

const own = { tag: 'Users', path: '/user/status', subject: instance, allow: 'authenticated' } as const

export const userStatusGet = operation({
  ...own,
  id: 'user_status.get',
  contract: 'x.user_status_get',
  method: 'GET',
  summary: 'Get your status',
  scopes: readingUsers,
  result: [200, UserStatus],
  run: ({ platform, actor }) => getOwnStatus(platform, actor),
})

export const userStatusPut = operation({
  ...own,
  id: 'user_status.put',
  contract: 'x.user_status_put',
  method: 'PUT',
  summary: 'Replace your status',
  description: 'Members without a parameter are cleared.',
  scopes: writing,
  params: statusParams,
  result: [200, UserStatus],
  run: ({ platform, actor, params }) => setStatus(platform, actor, params, 'cleared'),
})

export const userStatusPatch = operation({
  ...own,
  id: 'user_status.patch',
  contract: 'x.user_status_patch',
  method: 'PATCH',
  summary: 'Change parts of your status',
  scopes: writing,
  params: statusParams,
  description: 'Without parameters nothing changes, and the answer is `null`.',
  result: [200, nullable(UserStatus)],
  run: async ({ platform, actor, params }) => {
    const isEmpty = Object.keys(params).length === 0
    return isEmpty ? null : setStatus(platform, actor, params, 'kept')
  },
})

export const usersStatusGet = operation({
  id: 'users_status.get',
  contract: 'x.users_status_get',
  method: 'GET',
  path: '/users/:id_or_username/status',
  tag: 'Users',
  summary: 'Get the status of a user',
  subject: instance,
  allow: 'public',
  scopes: readingUsers,
  result: [200, UserStatus],
  run: ({ platform, actor, params }) => getStatus(platform, params.id_or_username, actor),
})
