import { instance, oneOf, readingUsers, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { AskedScopes } from '../authorization/present.ts'
import { beginDevice, decideDevice, describeDevice, deviceDecision, deviceRequest, userCode } from './device.ts'

const OauthDeviceCode = Type.Object(
  {
    device_code: Type.String(),
    user_code: Type.String(),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds' }),
    interval: Type.Integer({ description: 'Seconds between two requests for the tokens' }),
  },
  { title: 'OauthDeviceCode' },
)

const OauthDeviceAuthorization = Type.Object(
  { application_name: Type.String(), scopes: AskedScopes },
  { title: 'OauthDeviceAuthorization' },
)

export const oauthDevice = operation({
  id: 'oauth.device',
  contract: 'x.oauth_device',
  method: 'POST',
  path: '/oauth/authorize_device',
  root: true,
  tag: 'OAuth',
  subject: instance,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  summary: 'Begin the authorisation of an OAuth application on a device',
  params: deviceRequest,
  result: [200, OauthDeviceCode],
  run: ({ platform, params, request }) => beginDevice(platform, params, request),
})

const ofPeople = {
  tag: 'OAuth',
  subject: instance,
  allow: 'authenticated',
  path: '/oauth/device_authorization',
} as const

export const oauthDeviceAuthorizationGet = operation({
  ...ofPeople,
  id: 'oauth_device_authorization.get',
  contract: 'x.oauth_device_authorization',
  method: 'GET',
  summary: 'Describe what an OAuth application on a device asks for',
  description: 'For people who are signed in with a browser. The page `/oauth/device` shows it.',
  scopes: readingUsers,
  params: userCode,
  result: [200, OauthDeviceAuthorization],
  run: ({ platform, params, actor }) => describeDevice(platform, params.user_code, actor),
})

export const oauthDeviceAuthorizationCreate = operation({
  ...ofPeople,
  id: 'oauth_device_authorization.create',
  contract: 'x.oauth_device_authorize',
  method: 'POST',
  summary: 'Answer what an OAuth application on a device asks for',
  description: 'For people who are signed in with a browser.',
  scopes: writing,
  params: deviceDecision,
  result: [201, Type.Object({ decision: oneOf(['allow', 'deny']) }, { title: 'OauthDeviceDecision' })],
  run: ({ platform, params, actor }) => decideDevice(platform, params, actor),
})
