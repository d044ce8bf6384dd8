import { instance, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { authorize, describeAuthorization } from './authorization.ts'
import { authorizationDecision, authorizationRequest } from './params.ts'
import { OauthAuthorization, OauthAuthorizationAnswer } from './present.ts'

const shared = { tag: 'OAuth', subject: instance, path: '/oauth/authorization' } as const

export const oauthAuthorizationGet = operation({
  ...shared,
  allow: 'public',
  scopes: 'any',
  id: 'oauth_authorization.get',
  contract: 'x.oauth_authorization',
  method: 'GET',
  summary: 'Describe what an OAuth application asks for',
  description: 'The page `/oauth/authorize` shows it.',
  params: authorizationRequest,
  result: [200, OauthAuthorization],
  run: ({ platform, params, actor }) => describeAuthorization(platform, params, actor),
})

export const oauthAuthorizationCreate = operation({
  ...shared,
  allow: 'authenticated',
  scopes: writing,
  id: 'oauth_authorization.create',
  contract: 'x.oauth_authorize',
  method: 'POST',
  summary: 'Answer what an OAuth application asks for',
  description: 'For people who are signed in with a browser. The answer says where to lead it.',
  params: authorizationDecision,
  result: [201, OauthAuthorizationAnswer],
  run: ({ platform, params, actor }) => authorize(platform, params, actor),
})
