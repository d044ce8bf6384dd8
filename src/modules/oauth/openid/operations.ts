import { instance, type Static } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { describeUser } from './claims.ts'
import { providerMetadata, serverMetadata } from './metadata.ts'
import { KeySet, ProviderMetadata, ServerMetadata, UserInfo } from './present.ts'
import { publicKeys } from './signing-keys.ts'

const shared = {
  tag: 'OAuth',
  subject: instance,
  root: true,
  allow: 'public',
  scopes: 'any',
  ownAuthentication: true,
  anyOrigin: true,
} as const

export const openidConfiguration = operation({
  ...shared,
  id: 'openid.configuration',
  contract: 'x.openid_configuration',
  method: 'GET',
  path: '/.well-known/openid-configuration',
  summary: 'Describe the OpenID Connect provider',
  result: [200, ProviderMetadata],
  run: async ({ platform }) => providerMetadata(platform),
})

export const oauthServer = operation({
  ...shared,
  id: 'oauth.server',
  contract: 'x.oauth_server',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  summary: 'Describe the OAuth authorisation server',
  result: [200, ServerMetadata],
  run: async ({ platform }) => serverMetadata(platform),
})

export const openidKeys = operation({
  ...shared,
  id: 'openid.keys',
  contract: 'x.openid_keys',
  method: 'GET',
  path: '/oauth/discovery/keys',
  summary: 'List the keys that sign ID tokens',
  result: [200, KeySet],
  run: async ({ platform }) => ({ keys: (await publicKeys(platform)) as Static<typeof KeySet>['keys'] }),
})

const userInfo = {
  ...shared,
  path: '/oauth/userinfo',
  summary: 'Describe the user of the OAuth token of the request',
  result: [200, UserInfo],
} as const

export const openidUserInfo = operation({
  ...userInfo,
  id: 'openid.user_info',
  contract: 'x.openid_userinfo',
  method: 'GET',
  run: ({ platform, request }) => describeUser(platform, request),
})

export const openidUserInfoPost = operation({
  ...userInfo,
  id: 'openid.user_info_post',
  contract: 'x.openid_userinfo_post',
  method: 'POST',
  run: ({ platform, request }) => describeUser(platform, request),
})
