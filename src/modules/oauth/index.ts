import type { Module } from '../../platform/index.ts'
import * as applications from './applications/operations.ts'
import * as operations from './operations.ts'

export { deleteOauthTokensOf } from './store.ts'

export const oauth: Module = {
  name: 'oauth',
  tags: { OAuth: 'OAuth 2.0 tokens, and the applications that get them.' },
  operations: [operations, applications].flatMap((room) => Object.values(room)),
}
