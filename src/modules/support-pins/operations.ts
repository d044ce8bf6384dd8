import { instance, reading, statusNumber, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { createPin, getOwnPin, getPinOf, revokePinOf, SupportPin } from './support-pins.ts'

const own = { tag: 'Support PINs', subject: instance, allow: 'authenticated', path: '/user/support_pin' } as const
const userId = { id: t.id({ otherwise: 'route' }) }
const ofUser = { tag: 'Support PINs', subject: instance, allow: 'administrator', params: userId } as const

export const supportPinCreate = operation({
  ...own,
  id: 'support_pin.create',
  contract: 'x.support_pin_create',
  method: 'POST',
  summary: 'Create your support PIN',
  description: 'Valid for seven days. The one before is not valid any more.',
  scopes: writing,
  result: [201, SupportPin],
  run: ({ platform, actor }) => createPin(platform, actor),
})

export const supportPinGet = operation({
  ...own,
  id: 'support_pin.get',
  contract: 'x.support_pin_get',
  method: 'GET',
  summary: 'Get your support PIN',
  scopes: reading,
  result: [200, SupportPin],
  run: ({ platform, actor }) => getOwnPin(platform, actor),
})

export const usersSupportPinGet = operation({
  ...ofUser,
  id: 'users_support_pin.get',
  contract: 'x.users_support_pin_get',
  method: 'GET',
  path: '/users/:id/support_pin',
  summary: 'Get the support PIN of a user',
  description: 'It is recorded in the audit trail.',
  scopes: reading,
  result: [200, SupportPin],
  run: ({ platform, params, act }) => getPinOf(platform, params.id, act),
})

export const usersSupportPinRevoke = operation({
  ...ofUser,
  id: 'users_support_pin.revoke',
  contract: 'x.users_support_pin_revoke',
  method: 'POST',
  path: '/users/:id/support_pin/revoke',
  summary: 'Revoke the support PIN of a user',
  scopes: writing,
  result: [202, statusNumber],
  run: async ({ platform, params, act }) => {
    await revokePinOf(platform, params.id, act)
    return 202
  },
})
