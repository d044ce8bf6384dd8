import { forms, instance, nothing, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { beginTwoFactor, disableOwnTwoFactor, enableOwnTwoFactor, renewRecoveryCodes } from './own.ts'
import { disableTwoFactorOf } from './two-factor.ts'

const code = t.string({ description: 'A code of the authenticator app, or a recovery code.' })

/** What an authenticator app needs (contract 20, x.user_two_factor_begin). */
const TwoFactorSecret = Type.Object(
  {
    secret: Type.String({ description: 'In Base32' }),
    otpauth_uri: Type.String({ description: 'For a QR code' }),
  },
  { title: 'TwoFactorSecret' },
)

/** Codes for when the authenticator app is lost; no other answer shows them. */
const RecoveryCodes = Type.Object({ recovery_codes: forms.strings }, { title: 'RecoveryCodes' })

const path = '/user/two_factor'
const own = { tag: 'Users', subject: instance, allow: 'authenticated', scopes: writing } as const

export const userTwoFactorBegin = operation({
  ...own,
  id: 'user_two_factor.begin',
  contract: 'x.user_two_factor_begin',
  method: 'POST',
  path,
  summary: 'Get a secret for two-factor authentication, which is not in use yet',
  params: { password: t.string({ description: 'Your password, when you have one.' }) },
  result: [201, TwoFactorSecret],
  run: ({ platform, actor, params, request: { ip } }) => beginTwoFactor(platform, { actor, ip }, params.password),
})

export const userTwoFactorEnable = operation({
  ...own,
  id: 'user_two_factor.enable',
  contract: 'x.user_two_factor_enable',
  method: 'PUT',
  path,
  summary: 'Enable your two-factor authentication by a code of the authenticator app',
  params: { code: t.required(code) },
  result: [200, RecoveryCodes],
  run: ({ platform, actor, params, request: { ip } }) => enableOwnTwoFactor(platform, { actor, ip, code: params.code }),
})

export const userTwoFactorRenewCodes = operation({
  ...own,
  id: 'user_two_factor.renew_codes',
  contract: 'x.user_two_factor_codes',
  method: 'POST',
  path: '/user/two_factor/recovery_codes',
  summary: 'Replace your recovery codes',
  params: { code: t.required(code) },
  result: [201, RecoveryCodes],
  run: ({ platform, actor, params, request: { ip } }) => renewRecoveryCodes(platform, { actor, ip, code: params.code }),
})

export const userTwoFactorDisable = operation({
  ...own,
  id: 'user_two_factor.disable',
  contract: 'x.user_two_factor_disable',
  method: 'DELETE',
  path,
  summary: 'Disable your two-factor authentication by a code or your password',
  params: { code, password: t.string() },
  atLeastOne: ['code', 'password'],
  result: [204, nothing],
  run: ({ platform, actor, params, request: { ip } }) => disableOwnTwoFactor(platform, { actor, ip }, params),
})

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
