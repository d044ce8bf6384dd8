export {
  type GitAccess,
  type GitAccessNeeds,
  type GitRefusal,
  type GitService,
  gitAccess,
  sentences,
} from './access.ts'
export { type Basic, GitAccessDenied, type GitCaller, gitAuthentication, parseBasic } from './credentials.ts'
export { createGitHttp, deniedSentence } from './http.ts'
export { type PushGateNeeds, pushGateOf } from './push-gate.ts'
export { gitRoutes } from './routes.ts'
export { createGitSsh, type GitSshNeeds, type SshCall, type SshCommand, SshRefusal } from './ssh.ts'
export { type SshCaller, type SshIdentity, type SshIdentityNeeds, sshIdentities } from './ssh-identity.ts'
