import { forbidden, type InstanceAbility, instance, pageOf, readingUsers, t } from '../../../api/index.ts'
import { operation, type Subject } from '../../../platform/index.ts'
import { withAttributes } from '../../custom-attributes/index.ts'
import { getOwnUser, getUser, listUsers } from './directory.ts'
import { userFilter } from './params.ts'
import { ListedUser, OwnUser, SingleUser } from './present.ts'

const bothWays = ['asc', 'desc'] as const

/** The instance, where anonymous callers are answered with 403 instead of 401 (contract 20, x.users_get). */
const signedInOr403: Subject<undefined, InstanceAbility> = {
  ...instance,
  opensToAnonymous: () => true,
  authorize(actor) {
    if (actor.kind === 'anonymous') throw forbidden('Not authorized!')
  },
}

const shared = { tag: 'Users', subject: instance, allow: 'authenticated', scopes: readingUsers } as const

export const userGet = operation({
  ...shared,
  id: 'user.get',
  contract: 'x.user_get',
  method: 'GET',
  path: '/user',
  summary: 'Get the current user',
  result: [200, OwnUser],
  run: ({ platform, actor }) => getOwnUser(platform, actor),
})

export const usersList = operation({
  ...shared,
  id: 'users.list',
  contract: 'x.users_list',
  method: 'GET',
  path: '/users',
  summary: 'List or look up users',
  description: 'Anonymous callers may only look up a user by its username.',
  allow: 'public',
  params: userFilter,
  list: {
    keyset: { id: bothWays, name: bothWays, username: bothWays, created_at: bothWays, updated_at: bothWays },
    keysetDefault: { orderBy: 'id', sort: 'desc' },
    offsetLimitOf: 'User',
  },
  result: [200, pageOf(ListedUser)],
  run: ({ platform, params, actor, page }) => listUsers(platform, params, actor, page),
})

export const usersGet = operation({
  ...shared,
  id: 'users.get',
  contract: 'x.users_get',
  method: 'GET',
  path: '/users/:id',
  summary: 'Get a user',
  subject: signedInOr403,
  params: { id: t.id({ otherwise: 'route' }), ...withAttributes },
  result: [200, SingleUser],
  run: ({ platform, params, actor }) =>
    getUser(platform, params.id, actor, { withAttributes: params.with_custom_attributes }),
})
