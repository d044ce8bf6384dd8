import type { Module } from '../../platform/index.ts'
import { pruneSpamLogs } from './spam.ts'

export { checkPublished } from './spam.ts'
export { deleteUserAgents } from './store.ts'
export { storeUserAgent, UserAgentDetail, userAgentDetail } from './user-agents.ts'

/** Spam checks, and who sent what; for snippets and issues (contract 00, "Spam and CAPTCHA"). */
export const spam: Module = { name: 'spam', operations: [], jobs: [pruneSpamLogs] }
