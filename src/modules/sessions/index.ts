import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { mailPasswordReset } from './password-reset.ts'
import { deleteExpiredSessions } from './sessions.ts'

export { passwordResetPath, requestPasswordReset, resetPassword } from './password-reset.ts'
export { type Browser, endOtherSessions, endSession, endSessions, sessionOf } from './sessions.ts'
export { type Login, type SignInResult, signIn } from './sign-in.ts'
export { type NewAccount, type SignUpResult, signUp } from './sign-up.ts'
export { deleteSessionsOf } from './store.ts'
export type { SessionRow } from './tables.ts'

/** People who are signed in with a browser (contract 20 R11). */
export const sessions: Module = {
  name: 'sessions',
  operations: Object.values(operations),
  jobs: [deleteExpiredSessions, mailPasswordReset],
}
