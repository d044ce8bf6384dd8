import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { deleteOauthTokensOf } from './store.ts'

export const oauth: Module = { name: 'oauth', operations: Object.values(operations) }
