import { instance, pageOf, readingUsers, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { UserBasic } from '../directory/fields.ts'
import { changeFollowing, listFollows } from './following.ts'

const shared = {
  tag: 'Users',
  subject: instance,
  allow: 'authenticated',
  params: { id: t.id({ otherwise: 'route' }) },
} as const

export const usersFollow = operation({
  ...shared,
  id: 'users.follow',
  contract: 'x.users_follow',
  method: 'POST',
  path: '/users/:id/follow',
  summary: 'Follow a user',
  scopes: writing,
  result: [201, UserBasic],
  answers: { 304: 'The caller follows the user already.' },
  async run({ platform, actor, params, setStatus }) {
    const { isChanged, user } = await changeFollowing(platform, actor, params.id, 'follow')
    if (!isChanged) setStatus(304)
    return user
  },
})

export const usersUnfollow = operation({
  ...shared,
  id: 'users.unfollow',
  contract: 'x.users_unfollow',
  method: 'POST',
  path: '/users/:id/unfollow',
  summary: 'Stop following a user',
  scopes: writing,
  result: [201, UserBasic],
  answers: { 304: 'The caller does not follow the user.' },
  async run({ platform, actor, params, setStatus }) {
    const { isChanged, user } = await changeFollowing(platform, actor, params.id, 'unfollow')
    if (!isChanged) setStatus(304)
    return user
  },
})

export const usersFollowers = operation({
  ...shared,
  id: 'users.followers',
  contract: 'x.users_followers',
  method: 'GET',
  path: '/users/:id/followers',
  summary: 'List the followers of a user',
  scopes: readingUsers,
  result: [200, pageOf(UserBasic)],
  run: ({ platform, actor, params, page }) => listFollows(platform, actor, params.id, 'followers', page),
})

export const usersFollowing = operation({
  ...shared,
  id: 'users.following',
  contract: 'x.users_following',
  method: 'GET',
  path: '/users/:id/following',
  summary: 'List the users whom a user follows',
  scopes: readingUsers,
  result: [200, pageOf(UserBasic)],
  run: ({ platform, actor, params, page }) => listFollows(platform, actor, params.id, 'following', page),
})
