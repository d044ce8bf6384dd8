import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { mailPasswordReset } from './passwords/password-reset.ts'
import { deleteExpiredSessions } from './sessions.ts'

export { beginLook, endLook } from './look.ts'
export { sessionsDelete, sessionsList, userPasswordUpdate } from './operations.ts'
export { passwordResetPath, requestPasswordReset, resetPassword } from './passwords/password-reset.ts'
export { isOverdue } from './second-factor.ts'
export {
  callerOfBrowser,
  endOtherSessions,
  endSession,
  endSessions,
  sessionCookie,
  userOfSession,
  visitorOfBrowser,
} from './sessions.ts'
export { type SignInResult, signIn } from './sign-in.ts'
export { signUp } from './sign-up.ts'
export { deleteSessionsOf, sessionById } from './store.ts'

/** People who are signed in with a browser (contract 20 R11). */
export const sessions: Module = {
  name: 'sessions',
  operations: Object.values(operations),
  jobs: [deleteExpiredSessions, mailPasswordReset],
}
