import type { Module } from '../../platform/index.ts'
import { gitHttp } from './http/service.ts'
import { gitRoutes } from './routes.ts'
import { gitSsh } from './ssh/service.ts'

export { admit } from './access/admission.ts'
export type { GitCaller } from './access/callers.ts'
export { GitAccessDenied, identify } from './access/credentials.ts'
export { type GitRefusal, sentences } from './access/refusals.ts'
export { authorizeGitRead, decodePath, deniedSentence } from './http/service.ts'
export { serveRepositoryRead } from './http/transfers.ts'
export { openOperand, SshRefusal } from './ssh/commands.ts'
export { type SshIdentity, sshCaller } from './ssh/identity.ts'
export { say } from './ssh/service.ts'

export const gitTransport: Module = {
  name: 'git-transport',
  tags: { Git: 'Git over HTTP, by the smart protocol.' },
  operations: [],
  services: [gitHttp],
  ssh: gitSsh,
  routes: gitRoutes,
}
