import { instance, nothing, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { removeUser } from './removal.ts'

export const usersDelete = operation({
  id: 'users.delete',
  contract: 'x.users_delete',
  method: 'DELETE',
  path: '/users/:id',
  tag: 'Users',
  summary: 'Delete a user',
  description:
    'The user is gone at once. Their contributions move to the ghost user in the background, or are deleted with ' +
    '`hard_delete`.',
  subject: instance,
  allow: 'administrator',
  scopes: writing,
  params: { id: t.id({ otherwise: 'route' }), hard_delete: t.boolean() },
  result: [204, nothing],
  run: ({ platform, params: { id, hard_delete: hard = false }, actor, unmodified }) =>
    removeUser(platform, id, { hard, actor, unmodified }),
})
