import { instance, nothing, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { disableTwoFactorOf } from './two-factor.ts'

export const usersDisableTwoFactor = operation({
  id: 'users.disable_two_factor',
  contract: 'x.users_disable_2fa',
  method: 'PATCH',
  path: '/users/:id/disable_two_factor',
  tag: 'Users',
  summary: 'Disable two-factor authentication of a user',
  subject: instance,
  allow: 'administrator',
  scopes: writing,
  params: { id: t.id({ otherwise: 'route' }) },
  result: [204, nothing],
  run: ({ platform, params, actor }) => disableTwoFactorOf(platform, params.id, actor),
})
