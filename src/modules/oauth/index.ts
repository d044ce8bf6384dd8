import type { Module } from '../../platform/index.ts'
import * as applications from './applications/operations.ts'
import { deleteExpiredCodes } from './authorization/codes.ts'
import * as authorization from './authorization/operations.ts'
import * as device from './device/operations.ts'
import * as grants from './grants/operations.ts'
import * as openid from './openid/operations.ts'
import { rotateOpenidKeys } from './openid/signing-keys.ts'
import * as operations from './operations.ts'

export { oauthAuthorizationCreate, oauthAuthorizationGet } from './authorization/operations.ts'
export { oauthDeviceAuthorizationCreate, oauthDeviceAuthorizationGet } from './device/operations.ts'
export { authorizedApplicationsDelete, authorizedApplicationsList } from './grants/operations.ts'
export { deleteOauthTokensOf } from './store.ts'

export const oauth: Module = {
  name: 'oauth',
  tags: { OAuth: 'OAuth 2.0 tokens, and the applications that get them.' },
  operations: [operations, applications, authorization, openid, grants, device].flatMap((room) => Object.values(room)),
  jobs: [deleteExpiredCodes, rotateOpenidKeys],
}
