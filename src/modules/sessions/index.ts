import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { deleteExpiredSessions } from './sessions.ts'

export { type Browser, endOtherSessions, endSession, endSessions, sessionOf } from './sessions.ts'
export { type Login, type SignInResult, signIn } from './sign-in.ts'
export { deleteSessionsOf } from './store.ts'
export type { SessionRow } from './tables.ts'

/** People who are signed in with a browser (contract 20 R11). */
export const sessions: Module = {
  name: 'sessions',
  operations: Object.values(operations),
  jobs: [deleteExpiredSessions],
}
