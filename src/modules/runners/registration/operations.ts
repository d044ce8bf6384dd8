import { instance, nothing, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { newRunner } from '../core/params.ts'
import { RegisteredRunner, RunnerToken } from '../core/present.ts'
import { forRunners } from '../protocol/credentials.ts'
import { credentials, info } from '../protocol/params.ts'
import { registerRunner, resetOwnToken, unregisterManager, unregisterRunner, verifyRunner } from './registration.ts'

const shared = {
  tag: 'Runners',
  subject: forRunners,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
} as const

export const runnersVerify = operation({
  ...shared,
  id: 'runners.verify',
  contract: 'x.runner_verify',
  method: 'POST',
  path: '/runners/verify',
  summary: 'Check the authentication token of a runner',
  params: { ...credentials, info },
  result: [200, RegisteredRunner],
  run: ({ platform, request: { ip }, params: { token, system_id: systemId, info } }) =>
    verifyRunner(platform, token, { systemId, ip, info }),
})

export const runnersRegister = operation({
  ...shared,
  // The token is that of an owner of runners.
  subject: instance,
  id: 'runners.register',
  contract: 'x.runner_register',
  method: 'POST',
  path: '/runners',
  summary: 'Register a runner by a registration token',
  description: 'Only where the setting `allow_runner_registration_token` is on.',
  params: {
    token: t.required(t.string({ description: 'Registration token of the instance, of a group or of a project.' })),
    ...newRunner,
    info,
    system_id: credentials.system_id,
  },
  result: [201, RegisteredRunner],
  answers: { 410: 'Runners cannot register themselves' },
  run: ({ platform, request: { ip }, params: { token, info, system_id: systemId, ...given } }) =>
    registerRunner(platform, token, given, { systemId, ip, info }),
})

export const runnersUnregister = operation({
  ...shared,
  id: 'runners.unregister',
  contract: 'x.runner_unregister',
  method: 'DELETE',
  path: '/runners',
  summary: 'Delete a runner by its authentication token',
  params: { token: credentials.token },
  result: [204, nothing],
  run: ({ platform, params }) => unregisterRunner(platform, params.token),
})

export const runnersUnregisterManager = operation({
  ...shared,
  id: 'runners.unregister_manager',
  contract: 'x.runner_manager_unregister',
  method: 'DELETE',
  path: '/runners/managers',
  summary: 'Delete one of the programs that use the token of a runner',
  params: { token: credentials.token, system_id: t.required(credentials.system_id) },
  result: [204, nothing],
  run: ({ platform, params }) => unregisterManager(platform, params.token, params.system_id),
})

export const runnersResetOwnToken = operation({
  ...shared,
  id: 'runners.reset_own_token',
  contract: 'x.runner_reset_own_token',
  method: 'POST',
  path: '/runners/reset_authentication_token',
  summary: 'Replace the authentication token of a runner by a new one',
  params: { token: credentials.token },
  result: [201, RunnerToken],
  run: ({ platform, params }) => resetOwnToken(platform, params.token),
})
